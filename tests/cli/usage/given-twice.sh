orrery run -t a --trace b
