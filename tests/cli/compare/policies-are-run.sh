# an operand that is no folder is a policy; what it gives is what `run -o` gives, and nothing is left behind
cd "$(mktemp -d)" || exit 1
export TMPDIR=$PWD
cp "$SRC/traces/tiny.csv" .
orrery run -t tiny.csv -c nodes=2,gpus=4 -p srtf -o srtf.out -q >/dev/null
orrery compare fifo srtf.out -t tiny.csv -c nodes=2,gpus=4 --json -j 2 | sed '/"name"/d' >mixed
orrery compare fifo srtf -t tiny.csv -c nodes=2,gpus=4 --json | sed '/"name"/d' >both
cmp mixed both && sed -n '2,18p' both
ls
