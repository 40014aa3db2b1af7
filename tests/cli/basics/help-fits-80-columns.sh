for c in "" run policies describe convert synth version help; do
    orrery help $c | awk -v c="$c" 'length > 80 { print "orrery help " c ": " $0 }'
done
orrery 2>&1 | awk 'length > 80'
orrery run --help | sed -n 's/^.*--\(no-\)\{0,1\}\([a-z-]*\).*$/\2/p' | while read -r option; do
    orrery help run "$option" | awk -v o="$option" 'length > 80 { print "orrery help run " o ": " $0 }'
done
