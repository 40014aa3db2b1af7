orrery synth --jobs 50 --seed 1 >a
orrery synth --jobs 50 --seed 2 >b
orrery synth --jobs 50 >c
cmp -s a b || echo differ
tail -n +2 a >aa && tail -n +2 c >cc && cmp aa cc
