orrery run -t a -c b -p c --json --csv
