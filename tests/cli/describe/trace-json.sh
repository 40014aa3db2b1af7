printf 'job_id,submit,duration,gpus,user,vc\n1,0,10,1,ann,a\n2,0,5,8,bob,b\n3,100,2,4,ann,a\n' >t.csv
orrery describe t.csv --json
