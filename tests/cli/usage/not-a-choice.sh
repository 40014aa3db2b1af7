orrery run --on-violation skp
