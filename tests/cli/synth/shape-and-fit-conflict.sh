orrery synth --shape pai --fit "$SRC/traces/tiny.csv"
