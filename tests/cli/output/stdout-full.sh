printf 'job_id,submit,duration,gpus\n1,0,10,1\n' >t.csv
[[ -c /dev/full ]] || { echo "needs /dev/full" >&2; exit 77; }
orrery run -t t.csv -c nodes=2,gpus=4 -p fifo >/dev/full
echo "$?"
orrery policies >/dev/full
echo "$?"
orrery synth --jobs 10 >/dev/full
echo "$?"
