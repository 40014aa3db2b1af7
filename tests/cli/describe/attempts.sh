printf 'job_id,submit,duration,gpus,attempts\n1,0,30,1,10/20\n2,5,7,1,\n' >t.csv
orrery describe t.csv | grep ^attempts
