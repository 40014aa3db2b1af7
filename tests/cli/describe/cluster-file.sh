orrery describe "$SRC/configs/clusters/8x8-v100.yaml"
