orrery run -t "$SRC/traces/tiny.csv" -c nodes=1,gpus=8 -p fifo --no-log -o out >/dev/null
orrery explain out --job 1
