orrery plan -t "$SRC/traces/philly-2k.csv" -p easy --target 'wait_first.p95 < 10min' --node gpus=8,type=V100 |
    sed "s|$SRC/||"
