orrery policies
