# twenty-five files that aren't there
args=()
for i in {1..25}; do args+=("absent-$i.csv"); done
orrery describe "${args[@]}" 2>told
echo "$?"
grep -c '^orrery: error: .*\[input-open\]$' told
tail -n 1 told
