# Told with its column and the nearest name before anything is read.
for expr in 'mean(jct where gpsu>=8)' 'meam(jct)' 'jct' 'gpu_aloc' 'mean(jct' 'share(wait_first < soon)'; do
    orrery run -t no-such-file.csv -c nodes=1,gpus=4 -p fifo --metric "$expr"
    echo "exit $?"
done 2>&1
