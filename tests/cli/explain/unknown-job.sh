orrery run -t "$SRC/traces/tiny.csv" -c nodes=1,gpus=8 -p fifo -o out >/dev/null
orrery explain out --job no-such-job
