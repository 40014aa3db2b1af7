orrery run --json=yes
