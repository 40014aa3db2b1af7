orrery run -t "$SRC/traces/tiny.csv" -c nodes=1,gpus=4 -p fifo -q -o out >/dev/null
size=$(wc -c <out/events.orrlog)
printf '\377' | dd of=out/events.orrlog bs=1 seek=$((size - 9)) conv=notrunc status=none
orrery verify out/events.orrlog 2>&1 | sed 's/, [0-9]* bytes$//; s/orrlog:[0-9][0-9]*/orrlog:OFFSET/'
echo "exit ${PIPESTATUS[0]}"
