# what the engine counts of its own work is left out here: it may change with any improvement
printf 'job_id,submit,duration,gpus\n1,0,10,1\n2,0,5,8\n3,1,2,4\n' >t.csv
orrery run -t t.csv -c nodes=2,gpus=4 -p fifo --json | sed '/^	"counts":/,/^	}/d'
