# one document: a run a line, each as it is alone
printf 'job_id,submit,duration,gpus\n1,0,10,1\n2,0,5,8\n3,1,2,4\n' >t.csv
orrery run -t t.csv -c nodes=2,gpus=4 -p fifo -p sjf --json >both
cut -c 1-70 both
for p in fifo sjf; do orrery run -t t.csv -c nodes=2,gpus=4 -p $p --json | tr -d '\t\n '; echo; done >alone
sed -n '2,3{s/,$//;p}' both | tr -d ' ' | diff -w <(sed 's/ //g' alone) - && echo same
