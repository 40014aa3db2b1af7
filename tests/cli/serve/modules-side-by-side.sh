# several --serve as several -p; the folder of each by its name
orrery run --services two-models -c nodes=1,gpus=4,type=V100 --serve none --serve aimd,add=2 -o out -j 2 --no-wall |
    sed 's/  *$//' | cut -d' ' -f1 | sort | uniq -c
ls out out/none
orrery compare out/none out/aimd,add=2 --metric slo_attain --metric requests.arrived
jq -r '.serving.resolved' out/*/summary.json
orrery compare out/none out/aimd,add=2 --fail slo_attain:-0 >/dev/null && echo holds
