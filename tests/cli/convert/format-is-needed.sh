orrery convert t.csv
