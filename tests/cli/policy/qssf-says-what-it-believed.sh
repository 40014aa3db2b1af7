# a policy's own estimator, with its knobs, and the level that was used stand in the result; a lower grant refuses it
printf 'job_id,submit,duration,gpus,user,name\n1,0,10,1,a,x\n2,1,5,1,b,y\n3,2,4,1,a,x\n' >t.csv
orrery run -t t.csv -c nodes=1,gpus=1 -p qssf --json | grep -E '"(resolved|duration)":'
orrery run -t t.csv -c nodes=1,gpus=1 -p qssf --know observed
echo "$?"
orrery policies qssf --kind sched | sed -n '1,/believes/p'
