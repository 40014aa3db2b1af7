printf 'job_id,submit,duration,gpus,user\n1,0,10,1,ann\n2,0,5,8,bob\n3,1,2,4,"ann b"\n4,2,3,16,bob\n' >t.csv
cat >x.yaml <<'Y'
# comments are fine
schema: orrery.experiment/1
trace: t.csv
cluster: nodes=2,gpus=4
policies: [fifo, "fifo,hol=skip"]
seed: 5
user: [bob, ann b]
metric: ["count(gpus >= 4)"]
Y
orrery run x.yaml -q
orrery run -t t.csv -c nodes=2,gpus=4 -p fifo -p fifo,hol=skip --seed 5 --user bob --user 'ann b' --metric 'count(gpus >= 4)' -q --json >typed
orrery run x.yaml -q --json | diff - typed && echo 'the same as typed'
# the command line wins
orrery run x.yaml -q -p sjf --user ann -s 6 --json | grep -E '"(seed|asked|submitted)":' | head -n 3
