echo '{"schema":"orrery.summary/1"}' >a
echo '{"schema":"orrery.manifest/7"}' >b
echo '{"schema":"orrery.manifest/1","settings":{}}' >c
echo '{"schema":"orrery.manifest/1","settings":{"sed":"1"},"policy":{"asked":"fifo"}}' >d
echo 'schema: x' >e
for f in a b c d e f; do
    orrery run --manifest $f
    echo "$?"
done
