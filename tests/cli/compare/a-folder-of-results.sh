# stands for all of them, by name; and --base names any of them
cp "$SRC/traces/tiny.csv" .
orrery run -t tiny.csv -c nodes=2,gpus=4 -p srtf -p fifo -p las -o out -q >/dev/null
orrery compare out --base srtf --metric jct.mean --metric gpu_alloc
