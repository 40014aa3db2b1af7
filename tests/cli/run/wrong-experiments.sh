printf 'job_id,submit,duration,gpus,user\n1,0,10,1,ann\n2,0,5,8,bob\n3,1,2,4,"ann b"\n4,2,3,16,bob\n' >t.csv
s='schema: orrery.experiment/1'
printf 'trace: t.csv\n' >a
printf 'schema: orrery.experiment/2\n' >b
printf '%s\ntrac: t.csv\n' "$s" >c
printf '%s\nknow: all\n' "$s" >d
printf '%s\npolicy: fifo\npolicies: [sjf]\n' "$s" >e
printf '%s\ntrace: t.csv\ncluster: nodes=2,gpus=4\n' "$s" >f
printf '%s\nuser: ann b\n' "$s" >g
for x in a b c d e f g t.csv no.csv; do
    orrery run $x
    echo "$?"
done
orrery run f f
echo "$?"
