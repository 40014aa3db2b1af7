# links of each kind of node, and the network between racks, as text
orrery describe nodes=4,preset=dgx1-v100,racks=2,oversubscription=4,spine_bw=1Tb/s
orrery describe dgx-a100 | tail -n 13
orrery describe p3.8xlarge | tail -n 9
# and as JSON
orrery describe nodes=1,gpus=2,nvlink=0-1x2,nvlink_bw=20GB/s,nics=1,nic_bw=100Gb/s --json | sed -n '/"fabric"/,/"notes"/p'
