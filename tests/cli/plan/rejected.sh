# A gang of 4 fits no less than four nodes of one GPU: smaller ones reject it, which may be allowed.
printf '%s\n' submit,gpus,duration 0,4,100 200,1,100 >jobs.csv
orrery plan -t jobs.csv -p fifo --node gpus=1 --target 'wait_first.max == 0' | grep '^enough'
orrery plan -t jobs.csv -p fifo --node gpus=1 --target 'wait_first.max == 0' --allow-rejected | grep '^enough'
