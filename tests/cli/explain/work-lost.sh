# Checkpoints each 15 s: preempted at 20, a loses 5 s of its work.
printf 'job_id,submit,duration,gpus\na,0,100,4\nb,20,10,4\n' >t.csv
orrery run -t t.csv -c nodes=1,gpus=4 -p srtf --costs checkpoint=15s -o out >/dev/null
orrery explain out --job a --no-rerun
