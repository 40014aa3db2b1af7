# under one rule, but not the same jobs measured
cp "$SRC/traces/tiny.csv" .
orrery run -t tiny.csv -c nodes=2,gpus=4 -p fifo -p srtf --until 1h -o out -q >/dev/null
orrery compare out
