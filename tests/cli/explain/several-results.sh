printf 'job_id,submit,duration,gpus\na,0,100,4\nb,20,10,4\n' >t.csv
orrery run -t t.csv -c nodes=1,gpus=4 -p fifo -p srtf -o out >/dev/null
orrery explain out --job b
