orrery run -z
