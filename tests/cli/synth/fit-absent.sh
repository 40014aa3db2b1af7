orrery synth --fit absent.csv
