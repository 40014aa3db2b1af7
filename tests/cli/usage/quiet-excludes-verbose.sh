orrery run -qv -t a -c b -p c
