# Two nodes of four: three GPUs of each are held, so that two are free and no node has both.
printf 'job_id,submit,duration,gpus\na,0,100,3\nb,0,200,3\nc,10,30,2\n' >t.csv
orrery run -t t.csv -c nodes=2,gpus=4 -p fifo -o out >/dev/null
orrery explain out --job c --no-rerun
