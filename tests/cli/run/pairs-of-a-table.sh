# On a V100 `conv-small` beside `conv-small` keeps 1/1.2 of its speed; with pairs=no both run as alone.
printf 'job_id,submit,gpus,gpu_milli,duration,model\na,0,1,500,100,conv-small\nb,0,1,500,100,conv-small\n' >t.csv
for table in synthetic synthetic,pairs=no; do
    orrery run -q -t t.csv -c nodes=1,gpus=1,type=V100 -p fifo --throughputs $table -o r --force --no-wall
    cut -d, -f1,9,10,11 r/jobs.csv
done
