# The utilisation that the trace states, of GPUs held: (2 x 10 x 50 % + 4 x 10 x 25 %) of 4 x 20 GPU-s. It is null
# where one job states none.
printf 'job_id,submit,gpus,duration,gpu_util\nA,0,2,10,50\nB,0,4,10,25\n' > stated.csv
printf 'job_id,submit,gpus,duration,gpu_util\nA,0,2,10,50\nB,0,4,10,\n' > unstated.csv
for trace in stated unstated; do
    orrery run -t $trace.csv -c nodes=1,gpus=4 -p fifo -q --json | grep -o '"gpu_util":[^,]*'
done
