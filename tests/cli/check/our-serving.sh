# our own regression check of serving: if a number moves on purpose, update the baseline with a reason
cd "$SRC" && orrery check tests/baseline/serving.yaml | tail -1 | cut -d: -f1
