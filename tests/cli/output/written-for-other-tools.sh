# with the run, or later from its folder: the same bytes
cp "$SRC/traces/tiny.csv" .
orrery run -t tiny.csv -c nodes=2,gpus=4 -p srtf -o now -q --write all >/dev/null
orrery run -t tiny.csv -c nodes=2,gpus=4 -p srtf -o later -q >/dev/null
orrery describe later --write perfetto,openmetrics,batsim,swf >/dev/null
for file in perfetto.json.gz metrics.txt batsim/jobs.csv batsim/schedule.csv schedule.swf; do
    cmp now/$file later/$file && echo "$file"
done
cat now/schedule.swf
orrery describe now --write bastim
