cp "$SRC/traces/tiny.csv" .
orrery run -t tiny.csv -c nodes=2,gpus=4 -p srtf -o out -q >/dev/null
orrery describe out --metric 'mean(jct where gpus >= 4) / mean(jct)' | grep -v '\.\(p[0-9]*\|n\|max\|sum\) '
orrery describe tiny.csv --metric 'mean(jct)'
echo "exit $?"
mkdir empty
orrery describe empty
echo "exit $?"
orrery describe out --svg x.svg
orrery describe out --min-gpus 4
