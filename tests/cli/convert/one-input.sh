orrery convert a.csv b.csv --to swf
