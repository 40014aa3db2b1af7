# one line of progress, and the run goes on
orrery synth --jobs 20000 --load 1.4 --gpus 64 -o t.csv
orrery run -t t.csv -c nodes=8,gpus=8 -p srtf --clock round=1s -o out >table 2>told &
run=$!
while [[ ! -d out ]] && kill -0 $run 2>/dev/null; do sleep 0.02; done
sleep 0.1
kill -USR1 $run
sleep 0.2
kill -INT $run
wait $run
sed -n '1s/[0-9][0-9,]*/N/gp' told
