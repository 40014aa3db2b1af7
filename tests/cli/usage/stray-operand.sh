orrery run a.yaml b.csv -c nodes=1 -p fifo
