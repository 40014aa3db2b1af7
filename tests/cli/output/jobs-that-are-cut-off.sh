# what ran or waited at the beginning, and what still ran at the end of the record, is measured only where that is asked for
cat >t.csv <<'CSV'
job_id,submit,duration,gpus,ran,carried,censored,after,think
old,0,100,4,3600,1,0,,
older,0,50,8,7200,1,0,,
waits,0,10,2,,1,0,,
new,5,20,2,,0,0,,
cut,6,30,2,,0,1,,
last,7,10,1,,0,0,new,15
CSV
orrery run -t t.csv -c nodes=1,gpus=8 -p fifo -p las
orrery run -t t.csv -c nodes=1,gpus=8 -p fifo --measure all+censored+carried -o out
cut -d, -f1,5-11 out/jobs.csv
