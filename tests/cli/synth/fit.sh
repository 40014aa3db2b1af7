orrery synth --fit "$SRC/traces/tiny.csv" -o made.csv 2>&1 | sed "s|$SRC/||"
sed 1d made.csv | cut -d, -f 2-7 | head -4
