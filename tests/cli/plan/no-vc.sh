orrery plan -t "$SRC/traces/philly-2k.csv" -p fifo --target 'jct.mean < 1h' --split vc 2>&1 | sed "s|$SRC/||"
printf '%s\n' submit,gpus,duration,vc 0,1,10,a 0,1,10,b 0,1,10,b 0,1,10, >jobs.csv
orrery plan -t jobs.csv -p fifo --target 'jct.mean <= 10s' --node gpus=1 --split vc --where 'known(vc)'
