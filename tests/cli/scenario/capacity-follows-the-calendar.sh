# B asks for more than its virtual cluster has before the third day: it starts at midnight, 28 h after the first submission
printf 'date,a,b,total\n2020-04-01,8,8,16\n2020-04-02,8,0,8\n2020-04-03,8,16,24\n' >days.csv
cat >t.csv <<'CSV'
job_id,vc,submit,duration,gpus
A,b,2020-04-01 20:00:00,7200,8
B,b,2020-04-01 23:00:00,3600,16
C,a,2020-04-02 12:00:00,3600,8
CSV
orrery run -t t.csv -c days.csv --capacity-day each -p fifo --no-wall -o out >/dev/null
cut -d, -f1,3,4,8 out/attempts.csv
grep -E ',vc:b,gpus_total' out/timeline.csv
orrery run -t t.csv -c days.csv -p fifo --no-wall -o out2 -q >/dev/null
cut -d, -f1,3,4,8 out2/attempts.csv
printf 'job_id,vc,submit,duration,gpus\nA,b,0,7200,8\n' >t.csv
orrery run -t t.csv -c days.csv --capacity-day each -p fifo -q >/dev/null
