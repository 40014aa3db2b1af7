# What is tried and what comes out doesn't depend on how many work on it.
for j in 1 5; do
    orrery plan -t "$SRC/traces/helios-5k.csv" -p las --target 'jct.mean < 5h' --target 'mean(jct where gpus>=8) < 1d' \
        --split vc -j $j --json >$j || exit
done
cmp 1 5
orrery plan -t "$SRC/traces/helios-5k.csv" -p las --target 'jct.mean < 5h' --target 'mean(jct where gpus>=8) < 1d' \
    --split vc | sed "s|$SRC/||"
