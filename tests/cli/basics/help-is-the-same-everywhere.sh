# help, --help and -h print the same on stdout, before and after a command
orrery help >a && orrery --help >b && orrery -h >c && cmp a b && cmp a c
for c in run policies describe convert synth version help; do
    orrery help "$c" >a && orrery "$c" --help >b && orrery "$c" -h >c && orrery -h "$c" >d
    cmp a b && cmp a c && ! cmp -s a d && echo "$c"
done
