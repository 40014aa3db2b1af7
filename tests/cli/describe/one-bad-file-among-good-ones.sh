printf 'job_id,submit,duration,gpus\n1,0,10,1\n' >t.csv
orrery describe absent nodes=4,gpus=8 t.csv | grep -c '^trace \|^cluster '
echo "${PIPESTATUS[0]}"
