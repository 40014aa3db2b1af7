# the summary as it is
cp "$SRC/traces/tiny.csv" .
orrery run -t tiny.csv -c nodes=2,gpus=4 -p fifo -p srtf -o out -q >/dev/null
orrery describe out/srtf --json --metric 'count(gpus = 1)' >document
sed '/"summary":/d' document
sed -n 's/^\t"summary":\t\(.*\),$/\1/p' document >summary
tr -d '\n\t' <out/srtf/summary.json | cmp - <(tr -d '\n' <summary) && echo the same
orrery describe out --json | grep -c '"schema":.*"orrery.result/1"'
