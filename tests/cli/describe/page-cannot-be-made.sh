printf 'job_id,submit,duration,gpus\n1,0,10,1\n' >t.csv
orrery describe t.csv --html absent/x.html
