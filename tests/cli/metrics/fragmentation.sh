# Two jobs leave a GPU free on each of two nodes; a third waits for two on one.
printf 'job_id,submit,gpus,duration\nA,0,3,10\nB,0,3,10\nC,2,2,4\n' > jobs.csv
orrery run -t jobs.csv -c nodes=2,gpus=4,racks=2 -p fifo -q --json | grep -o '"frag[^,]*'
