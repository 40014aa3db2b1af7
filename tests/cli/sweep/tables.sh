# Five random halves of a small trace: means with intervals, paired differences, and who wins where.
cd "$SRC" && orrery sweep configs/experiments/sweep-small.yaml
