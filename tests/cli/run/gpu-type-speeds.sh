# On the K80 `attention` takes 1/0.12 as long, `policy-net` 1/0.85; conv-large can't run there. On both V100 nodes a pair is spread.
cat >c.yaml <<'END'
schema: orrery.cluster/1
nodes:
  - {count: 1, gpus: 2, type: k80}
  - {count: 2, gpus: 1, type: V100}
END
cat >t.csv <<'END'
job_id,submit,gpus,duration,model
a,0,1,1200,attention
b,0,1,850,policy-net
c,0,1,100,conv-large
d,200,2,760,conv-small
e,300,1,50,unheard
END
orrery run -q -t t.csv -c c.yaml -p fifo+first-fit --throughputs synthetic -o r --no-wall
cut -d, -f1,7,8,9,10 r/jobs.csv
grep -A4 '"notes"' r/summary.json
grep '"throughputs"' r/manifest.json
orrery verify r | head -1
orrery run -q -t t.csv -c c.yaml -p fifo+first-fit --throughputs synthetic,reference=K80,spread=no -o s --no-wall
cut -d, -f1,7,8,9,10 s/jobs.csv
