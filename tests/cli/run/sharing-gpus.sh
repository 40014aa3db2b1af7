cat >t.csv <<'END'
job_id,submit,gpus,duration,model
a,0,1,100,a3c
b,10,1,100,ncf
c,20,1,50,gpt3
END
orrery run -q -t t.csv -c nodes=1,gpus=1,gpu_mem=17GiB -p lucid -p gandiva -p fifo --interference pairs \
    --profiles $SRC/configs/profiles/synthetic.yaml
