orrery run --seed many
