# nothing that decides a result can be said besides; what concerns the output can
printf 'job_id,submit,duration,gpus,user\n1,0,10,1,ann\n2,0,5,8,bob\n3,1,2,4,"ann b"\n4,2,3,16,bob\n' >t.csv
orrery run -t t.csv -c nodes=2,gpus=4 -p fifo -o out -q >/dev/null
for more in '--seed 2' '-p fifo' '--max-wall 1h' '--plugin x.so' 'x.yaml'; do
    orrery run --manifest out/manifest.json $more
    echo "$?"
done
orrery run --manifest out/manifest.json -q --json | diff - out/summary.json && echo same
