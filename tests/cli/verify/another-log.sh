# the log of one policy beside the results of another
orrery run -t "$SRC/traces/philly-2k.csv" -c nodes=8,gpus=8 -p fifo -p srtf -q -o out >/dev/null
cp out/srtf/events.orrlog out/fifo/
orrery verify out/fifo >verdict
echo "exit $?"
for rule in holds-row jobs-row metric; do
    grep -c "\[$rule\]" verdict # 20, and how many more
done
