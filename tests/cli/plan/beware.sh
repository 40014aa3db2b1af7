# 3 nodes are enough, 4 are not: s fits beside p there, and big has to wait for it.
printf '%s\n' job_id,submit,gpus,duration p,0,2,10 big,1,3,10 s,2,2,100 >jobs.csv
orrery plan -t jobs.csv -p fifo,hol=skip --node gpus=1 --target 'wait_first.max < 60s'
orrery plan -t jobs.csv -p fifo,hol=skip --node gpus=1 --target 'wait_first.max < 60s' --json
orrery plan -t jobs.csv -p fifo,hol=skip --node gpus=1 --target 'wait_first.max < 60s' --all 2..6 --csv
