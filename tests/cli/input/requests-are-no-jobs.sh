printf 'arrival,tokens_in,tokens_out\n0,10,2\n1,20,3\n' >t.csv
orrery run -c nodes=2,gpus=4 -p fifo -t t.csv
