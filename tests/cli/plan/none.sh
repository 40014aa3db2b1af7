# No size is enough: exit 1, with what the largest does.
printf '%s\n' submit,gpus,duration 0,4,100 10,1,100 >jobs.csv
orrery plan -t jobs.csv -p fifo --node gpus=1 --target 'jct.mean < 100s' --nodes 1..10
