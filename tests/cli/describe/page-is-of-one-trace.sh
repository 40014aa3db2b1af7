printf 'job_id,submit,duration,gpus\n1,0,10,1\n' >t.csv
orrery describe t.csv t.csv --html x.html
echo $?
orrery describe t.csv --html - --svg -
echo $?
printf 'arrived_at,num_prefill_tokens,num_decode_tokens\n0,10,1\n2,20,2\n' >r.csv
orrery describe r.csv --svg x.svg
echo $?
ls
