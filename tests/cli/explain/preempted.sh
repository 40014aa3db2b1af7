# b is shorter than what is left of a: a saves for 2 s, b runs for 10, and a pays 5 s to come back.
printf 'job_id,submit,duration,gpus\na,0,100,4\nb,20,10,4\n' >t.csv
orrery run -t t.csv -c nodes=1,gpus=4 -p srtf --costs save=2s,restore=5s -o out >/dev/null
orrery explain out --job a --no-rerun
orrery explain out --job a --no-rerun --json
