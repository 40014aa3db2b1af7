# the same bytes from the manifest alone, the command line that was typed first included
printf 'job_id,submit,duration,gpus,user\n1,0,10,1,ann\n2,0,5,8,bob\n3,1,2,4,"ann b"\n4,2,3,16,bob\n' >t.csv
orrery run -t t.csv -c nodes=2,gpus=4 -p fifo,hol=skip -p 'srtf' --user 'ann b' --user ann --seed 7 --costs testbed \
    --metric 'count(gpus >= 4)' --until 1d --no-wall -o first -q >/dev/null
for p in fifo,hol=skip srtf; do
    orrery run --manifest first/$p/manifest.json --no-wall -o again/$p -q
done
diff -r first again && echo same
grep '"user"' again/srtf/manifest.json
