printf 'job_id,submit,duration,gpus,model\n1,0,10,1,bert\n' >t.csv
cat >p.yaml <<'END'
schema: orrery.profiles/1
models:
  - {model: resnet50, gpu_util: 0.7}
  - {model: bert, gpu_utill: 0.9}
END
orrery run -t t.csv -c nodes=6,gpus=4 -p fifo --profiles p.yaml
