orrery run --trace=
