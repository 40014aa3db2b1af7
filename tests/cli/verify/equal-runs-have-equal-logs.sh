for o in a b; do
    orrery run -t "$SRC/traces/philly-2k.csv" -c nodes=8,gpus=8 -p las --costs helios -q -o $o >/dev/null
done
cmp a/events.orrlog b/events.orrlog
