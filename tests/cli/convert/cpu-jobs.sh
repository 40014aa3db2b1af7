printf 'submit,duration,gpus,cpus\n0,1,0,4\n1,1,1,1\n' >t.csv
orrery convert t.csv --to helios 2>/dev/null | tail -n +2
orrery convert t.csv --to helios --cpu-jobs drop 2>/dev/null | tail -n +2
