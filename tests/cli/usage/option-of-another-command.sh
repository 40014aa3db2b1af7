orrery run --jobs 10
