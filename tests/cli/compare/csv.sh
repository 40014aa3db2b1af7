cp "$SRC/traces/tiny.csv" .
orrery run -t tiny.csv -c nodes=2,gpus=4 -p fifo -p srtf -o out -q >/dev/null
orrery compare out --csv --metric jct.mean
