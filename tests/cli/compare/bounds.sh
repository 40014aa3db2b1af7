cp "$SRC/traces/tiny.csv" .
orrery run -t tiny.csv -c nodes=2,gpus=4 -p fifo -p srtf -o out -q >/dev/null
try() { orrery compare out "$@" >text; echo "$? $*"; sed -n '/^bounds/,$p' text; }
try --fail jct.mean:+0
try --base srtf --fail jct.mean:+2% --fail gpu_alloc:-50%
try --fail 'p95(jct where gpus >= 4):+1h'
try --base srtf --fail gpu_util:+0
