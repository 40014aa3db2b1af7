# four trials of one app on two GPUs, and a job of its own; x is the best, then w, z, y: y and z stop at half of their work,
# and the app, 100 + 50 + 50 + 100 GPU-seconds, alone takes 150 s on the two GPUs
cat >t.csv <<'EOT'
job_id,submit,gpus,duration,group,quality
w,0,1,100,g,0.7
x,0,1,100,g,0.9
y,0,1,100,g,0.1
z,0,1,100,g,0.2
lone,300,2,60,,
EOT
cat >stop.yaml <<'EOT'
schema: orrery.scenario/1
early_stop: {rule: halving, rung: 0.5, quality: quality}
EOT
show() { cut -d, -f1,6,7,8,9 "$1/jobs.csv"; }
run() { orrery run -t t.csv -c nodes=1,gpus=2 -p fifo -q "$@"; }
run --scenario stop.yaml --metric app.jct.max --metric rho:app.max --metric early_stops -o out
show out
orrery verify out | head -1
sed -i 's/halving.*/first}/' stop.yaml
run --scenario stop.yaml --metric app.jct.max --metric rho:app.max --metric early_stops -o first
show first
orrery verify first | head -1
sed -i 's/first}/first, eta: 3}/' stop.yaml
run --scenario stop.yaml
sed -i 's/first, eta: 3/halving, quality: loss/' stop.yaml
run --scenario stop.yaml
grep -v -i group t.csv | cut -d, -f1-4 | sed '1i job_id,submit,gpus,duration' >alone.csv
orrery run -t alone.csv -c nodes=1,gpus=2 -p fifo -q --scenario stop.yaml
