printf 'job_id,submit,duration,gpus,user\n1,0,10,1,ann\n2,0,5,8,bob\n3,1,2,4,"ann b"\n4,2,3,16,bob\n' >t.csv
printf 'vc,num\na,1\nb,2\n' >c.csv
orrery run -t t.csv -c c.csv -p fifo -o out -q >/dev/null
cp out/manifest.json m.json
printf 'vc,num\na,1\nb,3\n' >c.csv
orrery run --manifest m.json -q
echo "$?"
printf 'vc,num\na,1\nb,2\n' >c.csv
sed -i s/10,1/11,1/ t.csv
orrery run --manifest m.json -q
echo "$?"
