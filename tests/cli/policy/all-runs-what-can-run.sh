# every policy in the list, but those whose needs the trace doesn't meet, and these are named
printf 'job_id,submit,duration,gpus\n1,0,10,1\n2,0,5,8\n3,1,2,4\n' >t.csv
orrery run -t t.csv -c nodes=2,gpus=4 -p all --csv >table 2>told
echo "$?"
tail -n +2 table | cut -d, -f1 >ran
sed -n 's/^orrery: note: \([a-z0-9-]*\) is left out: .*/\1/p' told >left
sort ran left >both
orrery policies --kind sched | tail -n +2 | awk '{ print $1 }' | sort | cmp - both
grep edf told
