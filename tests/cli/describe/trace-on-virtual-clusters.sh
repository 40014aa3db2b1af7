printf 'job_id,submit,duration,gpus,vc\n1,0,10,1,a\n2,0,5,8,b\n3,100,2,4,a\n' >t.csv
printf 'vc,num\na,1\nb,2\n' >c.csv
orrery describe -c c.csv t.csv | sed -n "/^offered/,\$p"
