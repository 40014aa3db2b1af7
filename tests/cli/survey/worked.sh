# Worked examples: rows by expectation, and the claim in the first of them.
orrery survey srtf edf-optimal
