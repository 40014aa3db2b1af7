printf '\x1f\x8b\x08\x00garbage that is no deflate stream' >t.csv
orrery run -c nodes=2,gpus=4 -p fifo -t t.csv
