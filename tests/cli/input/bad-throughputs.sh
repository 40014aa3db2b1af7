printf 'job_id,submit,duration,gpus,model\n1,0,10,1,bert\n' >t.csv
printf 'model,gpus,gpu_type,steps_per_s\nbert,1,V100,fast\n' >bad.csv
printf 'model,gpus,type,steps_per_s\nbert,1,V100,1\n' >named.csv
for table in bad.csv named.csv absent.csv synthetic,reference=A100 synthetic,spread=off; do
    orrery run -t t.csv -c nodes=6,gpus=4 -p fifo --throughputs $table
    echo $?
done
orrery run -t t.csv -c nodes=6,gpus=4 -p fifo --interference table
