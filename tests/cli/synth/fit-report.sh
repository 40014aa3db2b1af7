cp "$SRC/traces/helios-5k.csv" t.csv
orrery synth --fit t.csv --seed 7 -o made.csv --report - --save-model model.json | head -18
orrery synth --model model.json --seed 7 -o again.csv
sed 1d made.csv >a && sed 1d again.csv >b && cmp a b && head -1 made.csv
