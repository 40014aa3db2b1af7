# a schedule as a trace: run again on the same GPUs, in the order in which it began
cp "$SRC/traces/tiny.csv" .
orrery run -t tiny.csv -c nodes=2,gpus=4 -p fifo -o out -q --write swf >/dev/null
orrery describe out/schedule.swf | grep -v '^input'
