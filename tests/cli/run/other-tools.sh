# each file of --write, and nothing else besides
printf 'job_id,submit,duration,gpus,user\n1,0,10,1,ann\n2,0,5,8,bob\n3,1,2,4,"ann b"\n4,2,3,16,bob\n' >t.csv
orrery run -t t.csv -c nodes=2,gpus=8 -p fifo -q --no-log -o out --write swf,openmetrics >/dev/null
ls out
orrery run -t t.csv -c nodes=2,gpus=8 -p fifo -q -o all --write all >/dev/null
ls all | grep -v sqlite
orrery run -t t.csv -c nodes=2,gpus=8 -p fifo -q -o none --write swf,parquet
echo "$?"
orrery run -t t.csv -c nodes=2,gpus=8 -p fifo -q --write swf
echo "$?"
ls
