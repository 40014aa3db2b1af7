orrery version --json
