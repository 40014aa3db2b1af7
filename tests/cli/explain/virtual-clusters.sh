# The other virtual cluster has room, which is not b's.
cat >c.yaml <<'END'
schema: orrery.cluster/1
nodes:
  - {count: 1, gpus: 4, type: V100, vc: red}
  - {count: 1, gpus: 4, type: V100, vc: blue}
END
printf 'job_id,submit,duration,gpus,vc\na,0,100,4,red\nb,10,20,2,red\n' >t.csv
orrery run -t t.csv -c c.yaml -p fifo -o out >/dev/null
orrery explain out --job b --no-rerun
