printf 'job_id,submit,duration,gpus\nA,0,20,4\n' >t.csv
try() {
    printf 'schema: orrery.scenario/1\n%s\n' "$1" >s.yaml
    orrery run -t t.csv -c nodes=2,gpus=4,type=V100 -p fifo --scenario s.yaml -q >/dev/null
    echo "exit $?"
}
try 'events: [{at: 1, do: down, nodes: node7}]'
try 'events: [{at: 1, do: explode, nodes: node1}]'
try 'events: [{at: 1, do: cancel, job: B}]'
try 'event: []'
try 'power: {gpu: 3}'
orrery run -t t.csv -c nodes=2,gpus=4 -p fifo --scenario s.yaml -q >/dev/null
printf 'schema: orrery.scenario/1\npower: {}\n' >s.yaml
orrery run -t t.csv -c nodes=2,gpus=4,type=Odd -p fifo --scenario s.yaml -q >/dev/null
orrery run -t t.csv -c nodes=2,gpus=4 -p fifo --scenario none.yaml -q >/dev/null
