# stopped in the middle of a run: partial results under their names, exit 130
orrery synth --jobs 20000 --load 1.4 --gpus 64 -o t.csv
orrery run -t t.csv -c nodes=8,gpus=8 -p srtf --clock round=1s -o out --json >doc 2>told &
run=$!
while [[ ! -d out ]] && kill -0 $run 2>/dev/null; do sleep 0.02; done
sleep 0.1
kill -INT $run
wait $run
echo "$?"
ls -A out
cmp doc out/summary.json && grep '"stop_reason":' doc
grep -c '\[interrupted\]' told
