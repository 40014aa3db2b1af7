orrery describe nodes=4,gpus=8,type=V100
