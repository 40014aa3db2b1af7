# what production did: b waited although there was room, and c passed it; who has no recorded start is counted
cat >t.csv <<'CSV'
job_id,submit,duration,gpus,start
a,0,8,2,0
b,0,5,2,8
c,1,3,2,3
d,9,1,1,
CSV
orrery run -t t.csv -c nodes=1,gpus=4 -p recorded -p fifo
orrery run -t t.csv -c nodes=1,gpus=4 -p recorded -o out >table
cut -d, -f1,5-11 out/jobs.csv
grep -A 3 '"notes"' out/summary.json
