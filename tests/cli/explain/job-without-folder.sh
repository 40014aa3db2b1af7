orrery explain --job 1
