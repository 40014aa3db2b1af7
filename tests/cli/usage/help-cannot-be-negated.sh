orrery run --no-help
