cp "$SRC/traces/tiny.csv" .
orrery run -t tiny.csv -c nodes=2,gpus=4 -p srtf -o before -q >/dev/null
orrery run -t tiny.csv -c nodes=2,gpus=4 -p srtf -o after -q >/dev/null
orrery compare before after --metric jct.mean
