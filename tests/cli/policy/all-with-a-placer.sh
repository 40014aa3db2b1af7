# every spec but the heading ends in +spread
printf 'job_id,submit,duration,gpus\n1,0,10,1\n2,0,5,8\n3,1,2,4\n' >t.csv
orrery run -t t.csv -c nodes=2,gpus=4 -p all+spread --csv -q | awk -F, 'NR > 1 && $1 !~ /[+]spread$/; END { print (NR > 1) }'
