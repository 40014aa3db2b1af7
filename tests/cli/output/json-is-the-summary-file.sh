# one document on stdout whatever is said on stderr, the same as the file
printf 'job_id,submit,duration,gpus\n1,0,10,1\n2,0,5,8\n3,1,2,4\n' >t.csv
echo 4,2,2,0 >>t.csv
orrery run -t t.csv -c nodes=2,gpus=4 -p fifo -o out --json -v >doc 2>told && cmp doc out/summary.json
[[ -s told ]] && head -c 1 doc && echo && tail -c 2 doc
