orrery run --trace --cluster x
