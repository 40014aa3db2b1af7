# The shortest of several runs, on the same kind of machine only; nobody is compared who didn't ask.
cat >b.yaml <<END
schema: orrery.baseline/1
metrics: [measured]
cases:
  - name: two seeds # stays
    trace: $SRC/traces/tiny.csv
    cluster: nodes=1,gpus=8
    policy: fifo
    seeds: [1, 2]
END
orrery check b.yaml --update --wall -m 'first numbers' --wall-runs 2
sed -n '/# stays/p; s/run_s: .*/run_s: …/p; s/class: .*/class: …/p' b.yaml
echo "-- as long as it likes"; orrery check b.yaml --wall --wall-factor 1000 --wall-runs 1; echo "status $?"
echo "-- not asked for"; orrery check b.yaml; echo "status $?"
sed -i 's/run_s: .*/run_s: 1e-9/' b.yaml
echo "-- slower"; orrery check b.yaml --wall --wall-runs 1 >slow; echo "status $?"; grep -c "wall.run_s .*regressed" slow; tail -n 2 slow
sed -i 's/class: .*/class: "an abacus"/' b.yaml
echo "-- another machine"; orrery check b.yaml --wall --wall-runs 1; echo "status $?"
sed -i '/class:/d; /run_s:/d; /wall:/d' b.yaml
echo "-- no time"; orrery check b.yaml --wall --wall-runs 1; echo "status $?"
sed -i '/updates:/,$d' b.yaml; echo '    wall: {run_s: soon, class: x}' >>b.yaml
echo "-- wrong"; orrery check b.yaml; echo "status $?"
