cp "$SRC/traces/tiny.csv" .
orrery verify tiny.csv
