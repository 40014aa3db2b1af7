orrery explain trace-misingcolumn
