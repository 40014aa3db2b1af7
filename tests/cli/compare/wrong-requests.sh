cp "$SRC/traces/tiny.csv" .
orrery run -t tiny.csv -c nodes=2,gpus=4 -p fifo -p srtf -o out -q >/dev/null
try() { orrery compare "$@"; echo "exit $?"; }
try out/fifo
try out/fifo out/nonesuch
try out --metric jct.maen
try out --base sritf
try out --fail jct.mean
try out --fail jct.maen:+1%
try out --where 'gpus > 1'
try fifo srtff -t tiny.csv -c nodes=2,gpus=4
mkdir empty
try out empty
rm out/fifo/manifest.json
try out
