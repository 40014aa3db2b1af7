orrery convert t.csv --to yaml
