orrery synth --jobs 20000 --load 1.4 --gpus 64 -o t.csv
orrery run -t t.csv -c nodes=8,gpus=8 -p srtf -p fifo --clock round=1s -o out -q >table 2>told &
run=$!
while [[ ! -d out ]] && kill -0 $run 2>/dev/null; do sleep 0.02; done
sleep 0.1
kill -INT $run
wait $run
echo "$?"
ls -A out
