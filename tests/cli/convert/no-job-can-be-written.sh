printf 'submit,duration,gpus\n0,1,1\n' >t.csv
orrery convert t.csv --to pollux -o p.csv
ls
orrery convert t.csv --to pollux 2>/dev/null
