orrery run --until 5parsecs
