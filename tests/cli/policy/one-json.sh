orrery policies consolidate --json
