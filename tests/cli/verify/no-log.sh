orrery run -t "$SRC/traces/tiny.csv" -c nodes=1,gpus=4 -p fifo -q --no-log -o out >/dev/null
ls out
orrery verify out
echo "exit $?"
