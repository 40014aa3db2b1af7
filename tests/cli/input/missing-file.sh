orrery run -c nodes=2,gpus=4 -p fifo -t absent.csv
