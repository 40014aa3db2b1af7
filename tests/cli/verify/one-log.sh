# a log alone suffices; nothing is compared then
orrery run -t "$SRC/traces/tiny.csv" -c nodes=1,gpus=4 -p srtf -q -o out >/dev/null
orrery verify out/events.orrlog | sed 's/, [0-9]* bytes$//'
orrery verify - <out/events.orrlog | sed 's/, [0-9]* bytes$//'
