# our own regression check: if a number moves on purpose, update the baseline with a reason
cd "$SRC" && orrery check tests/baseline/policies.yaml
