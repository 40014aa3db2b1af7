orrery run --frobnicate
