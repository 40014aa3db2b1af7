cd "$SRC" || exit 1
for x in preemption busy-week; do
    orrery run configs/experiments/$x.yaml -q -j 0
done
