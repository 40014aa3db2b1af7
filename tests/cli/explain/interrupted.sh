# a job that loses its GPUs with a node, and one that asks a part of a GPU and finds them all too full
cat >t.csv <<'END'
job_id,submit,gpus,gpu_milli,duration
a,0,1,700,100
b,0,1,700,100
c,10,1,500,20
END
cat >fails.yaml <<'END'
schema: orrery.scenario/1
events:
  - {at: 40s, do: down, nodes: node0, for: 30s}
END
orrery run -t t.csv -c nodes=1,gpus=2 -p fifo --costs restore=3s,checkpoint=15s --scenario fails.yaml -q -o out >/dev/null
orrery explain out --job a
orrery explain out --job c
