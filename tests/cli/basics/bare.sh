orrery
