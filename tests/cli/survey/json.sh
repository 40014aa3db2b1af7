orrery survey edf-optimal --json
