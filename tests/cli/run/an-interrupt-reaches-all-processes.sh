# SIGINT to the program alone: runs under way end early with partial results, the others never begin
orrery synth --jobs 20000 --load 1.4 --gpus 64 -o t.csv
orrery run -t t.csv -c nodes=8,gpus=8 -p srtf -p las -p fifo -p sjf --clock round=1s -o out -q -j 2 >table 2>told &
run=$!
while [[ ! -d out/las || ! -d out/srtf ]] && kill -0 $run 2>/dev/null; do sleep 0.02; done
sleep 0.1
kill -INT $run
wait $run
echo "$?"
ls -A out
grep -c '"stop_reason":	"interrupted"' out/*/summary.json
sed 's/^@ [^:]*:[^:]*:[^:]*: //; s/after .*;/after N jobs;/' told
