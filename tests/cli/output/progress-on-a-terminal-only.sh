# a line that is rewritten on a terminal, nothing with CI set or with -q
command -v script >/dev/null || { echo "needs script(1)" >&2; exit 77; }
orrery synth --jobs 3000 --load 1.4 --gpus 64 --max-gpus 64 -o t.csv
run='orrery run -t t.csv -c nodes=8,gpus=8 -p srtf --clock round=1s >/dev/null'
script -qec "$run" typed </dev/null >seen
script -qec "CI=1 $run" typed </dev/null >seen-in-ci
script -qec "$run -q" typed </dev/null >seen-quiet
grep -c 'of 3,000 jobs' seen
wc -c <seen-in-ci
wc -c <seen-quiet
