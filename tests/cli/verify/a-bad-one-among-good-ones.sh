# all are looked at; a broken rule weighs more than what can't be read
orrery run -t "$SRC/traces/tiny.csv" -c nodes=1,gpus=4 -p fifo -q -o good >/dev/null
cp -r good bad
sed -i '2s/^[^,]*,/another,/' bad/jobs.csv
orrery verify nowhere bad good | grep -v '^  [cfn]'
echo "exit ${PIPESTATUS[0]}"
