orrery run --trce x
