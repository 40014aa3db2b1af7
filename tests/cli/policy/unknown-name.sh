orrery policies tiresia
