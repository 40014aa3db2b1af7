# The log is enough for what happened; the policy can't be asked without the trace.
printf 'job_id,submit,duration,gpus\na,0,100,4\nb,20,10,4\n' >t.csv
orrery run -t t.csv -c nodes=1,gpus=4 -p fifo -o out >/dev/null
echo c,30,1,1 >>t.csv
orrery explain out --job b
