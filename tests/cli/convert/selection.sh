orrery convert "$SRC/traces/tiny.csv" --to tiresias --where 'gpus >= 4' --limit 2 2>/dev/null
orrery convert "$SRC/traces/tiny.csv" --to tiresias --from 5m --until 10m 2>/dev/null
orrery convert "$SRC/traces/tiny.csv" --to tiresias --until tomorrow 2>&1 | sed "s|$SRC/||"
