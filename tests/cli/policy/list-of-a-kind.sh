orrery policies --kind place
