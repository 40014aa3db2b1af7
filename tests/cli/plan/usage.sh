t=$SRC/traces/tiny.csv
orrery plan; echo $?
orrery plan -t "$t" -p fifo; echo $?
orrery plan -t "$t" -p fifo --target 'jct.mean'; echo $?
orrery plan -t "$t" -p fifo --target 'jct.men < 1h'; echo $?
orrery plan -t "$t" -p fifo --target 'jct.mean < soon'; echo $?
orrery plan -t "$t" -p fifo --target 'jct.mean < 1h' --nodes 5..2; echo $?
orrery plan -t "$t" -p fifo --target 'jct.mean < 1h' --node gpus=-1; echo $?
orrery plan -t "$t" -p fifo --target 'jct.mean < 1h' --split vc --limit 3; echo $?
orrery plan -t "$t" -p fivo --target 'jct.mean < 1h'; echo $?
orrery plan -t nowhere.csv -p fifo --target 'jct.mean < 1h'; echo $?
