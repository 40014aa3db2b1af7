# Where a cluster has several GPU types: what is offered to each.
cat > mixed.yaml <<'EOF'
schema: orrery.cluster/1
name: mixed
nodes:
  - count: 1
    gpus: 4
    type: V100
  - count: 1
    gpus: 8
    type: K80
EOF
printf 'job_id,submit,gpus,duration,gpu_type\nA,0,2,100,V100\nB,100,6,50,\n' > jobs.csv
orrery run -t jobs.csv -c mixed.yaml -p fifo -q --metric load:V100 --metric load:K80 --csv
orrery run -t jobs.csv -c mixed.yaml -p fifo -q --json | grep -o '"load[^,]*'
