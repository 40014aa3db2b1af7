printf 'time,count\n0,1\n' >t.csv
tar -cf t.tar t.csv
orrery describe t.tar
