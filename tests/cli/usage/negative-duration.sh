orrery run --until=-5s
