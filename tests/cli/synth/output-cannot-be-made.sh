orrery synth --jobs 3 -o absent/t.csv
