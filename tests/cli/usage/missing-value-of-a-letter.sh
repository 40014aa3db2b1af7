orrery run -t
