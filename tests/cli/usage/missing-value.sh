orrery run --trace
