cp "$SRC/traces/tiny.csv" .
orrery run -t tiny.csv -c nodes=2,gpus=4 -p srtf -o a -q >/dev/null
orrery run -t tiny.csv -c nodes=2,gpus=4 -p srtf --costs start=5s --seed 2 --max-gpus 4 -o b -q >/dev/null
orrery compare a b
echo "exit $?"
orrery compare a b --force --metric jct.mean | sed -n '1,/^metric/p'
