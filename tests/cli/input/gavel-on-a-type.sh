printf 'A\tc\td\t-n\t1\t300\t1\t1\t-1.000000\t0\nB\tc\td\t-n\t1\t300\t1\t1\t-1.000000\t0\n' >t.trace
printf '{"v100": {"A": {"null": 2}}, "k80": {"A": {"null": 0.5}}}' >t.json
orrery describe t.trace --tables t.json | sed -n '1,6p;/^job time/p'
orrery describe t.trace --tables t.json --gpu-type k80 | grep '^job time'
orrery describe t.trace --tables t.json --gpu-type v10
