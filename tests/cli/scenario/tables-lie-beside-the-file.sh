# recorded events and prices are read from the folder of the scenario, wherever the program is started
printf 'job_id,submit,duration,gpus\nA,0,20,4\n' >t.csv
mkdir there
printf 'schema: orrery.scenario/1\nrecorded: events.csv\nprices: prices.csv\n' >there/s.yaml
printf 'time,node,event\n5,node0,down\n15,node0,up\n' >there/events.csv
printf 'time,type,price\n0,,3.6\n' >there/prices.csv
orrery run -t t.csv -c nodes=1,gpus=4 -p fifo --scenario there/s.yaml --no-wall -o out -q
cut -d, -f1,3,4,8 out/attempts.csv
grep -A3 '"cost"' out/summary.json
printf 'time,node,event\n5,node0,broken\n' >there/events.csv
orrery run -t t.csv -c nodes=1,gpus=4 -p fifo --scenario there/s.yaml -q
