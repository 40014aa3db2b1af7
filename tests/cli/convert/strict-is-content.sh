printf 'job_id,num_gpu,submit_time,iterations,model_name,duration,interval\n1,2,30,0,vgg,5,0\n' >t.csv
orrery convert t.csv --to tiresias --strict
