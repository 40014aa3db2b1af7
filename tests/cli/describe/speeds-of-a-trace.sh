# Of the models that its jobs name: net has a row for its gang of 2, and of 3 the next smaller one; bert isn't known.
printf 'model,gpus,gpu_type,steps_per_s\nnet,1,k80,1\nnet,1,v100,4\nnet,2,k80,2\nnet,2,v100,6\nother,1,v100,3\n' >t.csv
printf 'job_id,submit,duration,gpus,model\n1,0,10,2,net\n2,0,10,3,net\n3,0,10,1,bert\n4,0,10,1,\n' >j.csv
orrery describe j.csv --throughputs t.csv | sed -n '/^throughputs/,$p'
orrery describe j.csv --throughputs t.csv --json | grep -A40 '"throughputs"'
