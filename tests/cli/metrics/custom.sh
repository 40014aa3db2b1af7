# Expressions are columns of the table, times as times; and members of metrics.custom by their text.
cat > jobs.csv <<'EOF'
job_id,user,submit,gpus,duration
A,u,0,4,100
B,u,10,2,300
C,v,20,2,40
D,v,30,8,40
EOF
asked() {
    orrery run -t jobs.csv -c nodes=1,gpus=4 -p fifo -p sjf --metric 'p95(wait_first where gpus <= 4)' \
        --metric 'share(wait_first < 60s)' --metric 'count(state = rejected of all)' --metric queue_len "$@"
}
asked -q
asked -q --csv
asked -q --json | sed -n 's/.*\("custom":{[^}]*}\).*/\1/p'
