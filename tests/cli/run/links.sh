cat >t.csv <<'END'
job_id,submit,gpus,duration,model
a,0,3,350,vgg16
b,0,3,250,inception3
END
orrery run -q -t t.csv -c nodes=3,gpus=2,nics=1,nic_bw=10Gb/s -p fifo+spread -p ada-srsf --net phases,penalty=0.2 \
    --profiles $SRC/configs/profiles/gradients.yaml
