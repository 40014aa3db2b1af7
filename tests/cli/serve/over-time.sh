# by hand: every 10 ms a request, which takes 5 ms; half as long between them, and the batches catch up with what waits
printf '%s\n' 'schema: orrery.services/1' 'name: even' 'services:' '  - name: a' '    slo: 20ms' \
    '    arrivals: {kind: regular, rate: 100/s, limit: 4}' \
    '    variants: [{name: v, max_batch: 2, profile: {alpha: 5ms, beta: 0ms}}]' '    replicas: 1' >s.yaml
orrery run --services s.yaml -c nodes=1,gpus=1 --serve none --serve aimd -o out --write html --no-wall
cat out/none/serving.csv
sed -n '1,3p;$p' out/none/latencies.csv
wc -l <out/none/latencies.csv
orrery run --services s.yaml -c nodes=1,gpus=1 --scale-load 4 --warmup 6ms --metric latency.max -o fast --no-wall
cat fast/serving.csv
orrery describe out/none | tail -5
orrery compare out/none out/aimd --html c.html >table
grep -o '<figure[^>]*id="[a-z]*"' out/none/report.html c.html
# what is asked differs: that is no comparison of policies
orrery compare out/none fast 2>&1
