orrery run --seed -3
