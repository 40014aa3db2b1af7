orrery version
