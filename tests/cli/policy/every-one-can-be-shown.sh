orrery policies | awk 'NR > 1 { print $1 }' | while read -r name; do
    orrery policies "$name" >text && orrery policies "$name" --json >json || echo "$name"
    head -n 1 text | grep -q "^$name: ." || echo "$name: no summary"
    grep -q "\"name\":	\"$name\"" json || echo "$name: not in its JSON"
done
