printf '0,5\n30,0\n60,7\n' >t.csv
orrery describe t.csv --werror | head -3
