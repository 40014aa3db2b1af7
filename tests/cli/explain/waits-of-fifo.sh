# a holds three of four GPUs until 100. b needs all four, and c, which would fit beside a, may not pass b.
printf 'job_id,submit,duration,gpus\na,0,100,3\nb,10,50,4\nc,20,30,1\n' >t.csv
orrery run -t t.csv -c nodes=1,gpus=4 -p fifo -o out >/dev/null
orrery explain out --job c
orrery explain out --job b --no-rerun
