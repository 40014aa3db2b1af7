printf 'job_id,submit,duration,gpus\n1,0,10,1\n2,5,10,1\n' >plain.csv
gzip -c plain.csv >named-otherwise
for f in plain.csv named-otherwise; do orrery run -c nodes=2,gpus=4 -p fifo -t $f --csv >$f.out && orrery run -c nodes=2,gpus=4 -p fifo -t - --csv <$f >$f.in; done
cmp plain.csv.out named-otherwise.out && cmp plain.csv.out plain.csv.in && cmp plain.csv.out named-otherwise.in
