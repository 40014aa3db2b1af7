# the same bytes from the manifest alone; requests as they went; another file is refused
printf '%s\n' 'schema: orrery.services/1' 'name: two' 'services:' '  - name: a' '    slo: 11ms' \
    '    arrivals: {kind: regular, rate: 250/s, limit: 3}' \
    '    variants: [{name: v, max_batch: 2, profile: {alpha: 5ms, beta: 1ms}}]' '    replicas: 1' >s.yaml
orrery run --services s.yaml -c nodes=1,gpus=1 --serve aimd --no-wall -o first --write requests -q >/dev/null
cat first/requests.csv
orrery run --manifest first/manifest.json --no-wall -o again --write requests -q >/dev/null
diff -r first again && echo same
jq -c '.inputs[].role, .serve' first/manifest.json
sed -i s/250/200/ s.yaml
orrery run --manifest first/manifest.json 2>&1 | sed 's/[0-9a-f]\{64\}/DIGEST/g'
orrery verify first
orrery describe first --write requests
