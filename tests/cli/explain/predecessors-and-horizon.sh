printf 'job_id,submit,duration,gpus,after,think,deadline\na,0,100,4,,,\nb,0,20,4,a,5,400\nc,0,500,4,,,90\nd,60,50,4,,,\n' >t.csv
orrery run -t t.csv -c nodes=1,gpus=4 -p fifo --until 300 -o out >/dev/null
orrery explain out --job b --no-rerun
orrery explain out --job c --no-rerun
orrery explain out --job d --no-rerun
