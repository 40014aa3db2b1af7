orrery survey srtff
