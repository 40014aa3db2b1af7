printf 'job_id,submit,duration,gpus\na,0,100,4\nwide,5,10,16\n' >t.csv
orrery run -t t.csv -c nodes=1,gpus=4 -p fifo -o out >/dev/null 2>&1
orrery explain out --job wide
