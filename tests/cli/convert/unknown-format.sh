orrery convert t.csv --to helois
