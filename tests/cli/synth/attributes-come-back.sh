orrery synth --jobs 20 --with loss,host,weights -o a.csv
cut -d, -f1-12 a.csv | sed -n '2,4p'
orrery describe a.csv | grep -A2 unknown-column
