orrery run --gpus-per-node 65
