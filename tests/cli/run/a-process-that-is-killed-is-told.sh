# one of the processes is killed: its policy has no results and says so, the other's are there
orrery synth --jobs 20000 --load 1.4 --gpus 64 -o t.csv
orrery run -t t.csv -c nodes=8,gpus=8 -p srtf -p fifo --until 3d --clock round=1s -o out -q -j 2 --csv >table 2>told &
run=$!
while [[ ! -d out/fifo ]] && kill -0 $run 2>/dev/null; do sleep 0.02; done
victim=$(cut -d ' ' -f 1 "/proc/$run/task/$run/children")
[[ $victim ]] || { echo "needs /proc/PID/task/PID/children" >&2; exit 77; }
kill -KILL "$victim"
wait $run
echo "$?"
cut -d, -f1 table
cat told
ls out/fifo
