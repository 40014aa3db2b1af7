cp "$SRC/traces/tiny.csv" .
orrery run -t tiny.csv -c nodes=2,gpus=4 -p fifo -p srtf --measure jobs:500.. -o out -q >/dev/null
orrery compare out --force
