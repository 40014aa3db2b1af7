orrery run -qz
