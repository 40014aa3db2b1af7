# requests have keys, of which one has a second name; the columns of expressions are those of jobs
orrery run --services two-models -c nodes=1,gpus=4,type=V100 --serve aimd --metric e2e.p99 --metric latency.p99 -o out --csv | cut -d, -f1,2,6,14,15
orrery describe out --metric e2e.mean --json | jq -r '.metrics["e2e.mean"] == .summary.metrics.latency.mean' 2>/dev/null || orrery describe out --json | head -c 40
orrery compare out out --metric e2e.p50 2>&1 | tail -2
orrery run --services two-models -c nodes=1,gpus=4,type=V100 --metric 'p99(latency)'
