head -c 4096 /dev/zero >t.csv
orrery run -c nodes=2,gpus=4 -p fifo -t t.csv
