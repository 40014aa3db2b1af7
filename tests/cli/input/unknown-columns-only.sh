printf 'alpha,beta\n1,2\n' >t.csv
orrery run -c nodes=2,gpus=4 -p fifo -t t.csv
