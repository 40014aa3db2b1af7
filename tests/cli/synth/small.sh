orrery synth --jobs 5 --seed 3
