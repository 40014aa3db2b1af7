orrery polcies
