printf 'job_id,submit,duration,gpus\n1,0,10,1\n2,0,5,8\n3,1,2,4\n' >t.csv
orrery run -t t.csv -c nodes=2,gpus=4 -p all --csv >table 2>told
echo "$?"
cut -d, -f1 table
cut -d: -f2-3 told
