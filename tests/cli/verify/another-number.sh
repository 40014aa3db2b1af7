# a summary that was touched up is found out
orrery run -t "$SRC/traces/tiny.csv" -c nodes=1,gpus=4 -p fifo -q -o out >/dev/null
sed -i '/"jct"/,/}/s/"mean":.*/"mean": 1,/' out/summary.json
orrery verify out | sed '/ bytes$/d; /compared:/d; /not recomputed/d'
echo "exit ${PIPESTATUS[0]}"
orrery verify out --json | grep -E '"(verdict|rule|job|resource)"'
