orrery run
