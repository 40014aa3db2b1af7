orrery synth --jobs 30 -o t.csv.gz && orrery synth --jobs 30 >t.csv
zcat t.csv.gz | cmp - t.csv
