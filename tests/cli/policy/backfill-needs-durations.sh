# fifo knows no durations, so backfill is refused before anything runs
printf 'job_id,submit,duration,gpus\na,0,10,1\n' >t.csv
orrery run -t t.csv -c nodes=1,gpus=1 -p fifo,backfill=easy
