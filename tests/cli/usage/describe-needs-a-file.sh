orrery describe
