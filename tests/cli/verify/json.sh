orrery run -t "$SRC/traces/tiny.csv" -c nodes=1,gpus=4 -p fifo -q -o out >/dev/null
orrery verify out --json | sed '/"bytes"/d; /"numbers"/d; /"not_recomputed"/d'
