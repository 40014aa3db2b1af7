# the same keys for every module; the document of one is a list of one
orrery policies fifo --json | head -n 5
for name in fifo tiresias consolidate rolling; do
    orrery policies "$name" --json | grep -o '^	\{1,3\}"[a-z]*":' | tr -d '\t\n'
    echo
done
