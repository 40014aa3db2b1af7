cp $SRC/configs/throughputs/synthetic.csv .
orrery describe synthetic.csv >t
head -7 t; tail -4 t
printf '{"v100": {"a": {"null": 4, "b": [3, 1]}, "b": {"null": 2}}, "k80": {"a": {"null": 1}, "b": {"null": 0}},
 "v100_unconsolidated": {"a": {"null": 3}}}' >g.json
orrery describe g.json
orrery describe g.json --json
orrery describe g.json --html p.html && grep -c '<table' p.html
orrery describe g.json --svg p.svg
