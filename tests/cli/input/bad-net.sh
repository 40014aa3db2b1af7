orrery run -t $SRC/traces/tiny.csv -c nodes=2 -p fifo --net ether
