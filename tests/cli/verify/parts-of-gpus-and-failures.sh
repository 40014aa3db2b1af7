# parts of GPUs, speeds that change, a node that fails: the log is proved, and what is written beside it agrees
cat >parts.csv <<'END'
job_id,submit,gpus,gpu_milli,duration,cpus
a,0,1,500,100,2
b,5,1,500,100,2
c,10,2,1000,60,
d,20,1,250,200,
e,30,2,400,50,1
END
cat >fails.yaml <<'END'
schema: orrery.scenario/1
events:
  - {at: 40s, do: down, nodes: node0, for: 30s}
  - {at: 1h, do: cancel, job: d}
END
orrery run -t parts.csv -c nodes=2,gpus=2,cpus=8 -p fifo -p srtf --costs start=1s,restore=3s,checkpoint=10s \
    --interference time-slice,switch=1s --scenario fails.yaml -q -o out >/dev/null
orrery verify out | sed 's/, [0-9,]* bytes$//; /not recomputed/d'
head -1 out/fifo/jobs.csv
cut -d, -f1-8 out/fifo/attempts.csv
grep gpus_held out/fifo/timeline.csv | head -6
