orrery run trace.csv -c nodes=1 -p fifo
