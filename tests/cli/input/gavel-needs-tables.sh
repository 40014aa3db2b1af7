printf 'A (batch size 16)\tpython3 x.py\timages\t-n\t1\t300\t1\t1\t-1.000000\t0\n' >t.trace
orrery describe t.trace
