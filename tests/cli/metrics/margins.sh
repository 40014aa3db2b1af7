# Warm-up and cool-down narrow the measured set and the window of the integrals, and are printed in the rule.
cat > jobs.csv <<'EOF'
job_id,submit,gpus,duration
A,0,2,100
B,100,2,50
C,200,4,30
D,300,4,500
EOF
run() {
    orrery run -t jobs.csv -c nodes=1,gpus=4 -p fifo -q "$@"
}
for margins in "" "--warmup 100s" "--cooldown 100s" "--warmup 100s --cooldown 1m40s" "--measure time:100..200"; do
    run $margins --json | grep -o '"rule.*'
    run $margins --metric measured --metric window --metric 'max(submit)' --csv | cut -d, -f7,10-12
done
run --warmup 100s | tail -1
run --warmup 1s --measure warmup:2s
