# a run under two policies is proved from their logs, and what was written beside them agrees
orrery run -t "$SRC/traces/philly-2k.csv" -c nodes=8,gpus=8 -p fifo -p srtf --costs start=5s,save=3s,restore=7s -q -o out >/dev/null
orrery verify out | sed "s/, [0-9,]* bytes\$//; /not recomputed/d; s/[0-9]* numbers/numbers/"
