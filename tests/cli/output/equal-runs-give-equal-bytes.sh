printf 'job_id,submit,duration,gpus\n1,0,10,1\n2,0,5,8\n3,1,2,4\n' >t.csv
orrery run -t t.csv -c nodes=2,gpus=4 -p fifo --seed 3 --no-wall -o out -q >first
mv out first.d
orrery run -t t.csv -c nodes=2,gpus=4 -p fifo --seed 3 --no-wall -o out -q >second
cmp first second && diff -r first.d out && echo same
grep -c '"wall"' out/manifest.json
