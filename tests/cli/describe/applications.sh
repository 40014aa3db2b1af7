printf 'schema: orrery.applications/1\napplications:\n  - model: even\n    batch: {initial: 4, most: 16, local: [2, 4]}\n    epochs: 2\n    progress: 3600\n    most_gpus: 5\n    restart: 30s\n    perf:\n      - {alpha_c: 1, beta_c: 0.25, alpha_r: 1, alpha_n: 2}\n      - {type: A100, width: 8, alpha_c: 0.5, alpha_r: 0.5}\n' >a.yaml
orrery describe a.yaml
orrery describe a.yaml --json | grep -E '"(sha256|gpus|nodes|batch|local|steps|restart|type|epochs|most_gpus)"' | tr -d '\t' | tr '\n' ' '
echo
mkdir flow
printf 'global_batch_size,1,2,4\n64,2,4,nan\n' >flow/net.csv
orrery describe flow
mkdir -p tables/app
printf 'placement,local_bsz,step_time,sync_time\n1,4,2,0\n2,4,2.5,0.5\n' >tables/app/placements.csv
printf 'progress,iteration,grad_sqr,grad_var\n1800,1800,1,1\n' >tables/app/validation-4.csv
printf 'progress,iteration,grad_sqr,grad_var\n1800,950,1,1\n' >tables/app/validation-8.csv
orrery describe tables
orrery describe a.yaml --svg p.svg
echo $?
printf 'schema: orrery.applications/1\napplications:\n  - {model: x}\n' >b.yaml
orrery describe b.yaml
