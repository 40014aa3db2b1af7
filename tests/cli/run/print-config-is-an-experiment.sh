printf 'job_id,submit,duration,gpus,user\n1,0,10,1,ann\n2,0,5,8,bob\n3,1,2,4,"ann b"\n4,2,3,16,bob\n' >t.csv
orrery run -t t.csv -c nodes=2,gpus=4 -p fifo -p 'fifo,hol=skip' --user 'ann "b"' --where 'gpus >= 2' --print-config >x.yaml
cat x.yaml
orrery run x.yaml --seed 3 --user bob --print-config | grep -E '^(seed|user|where|costs)'
orrery run x.yaml -q --user bob --user 'ann b' --json >a
orrery run -t t.csv -c nodes=2,gpus=4 -p fifo -p 'fifo,hol=skip' --where 'gpus >= 2' --user bob --user 'ann b' -q --json | diff a - && echo same
