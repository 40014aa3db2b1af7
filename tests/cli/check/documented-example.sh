# the example of configs/README.md, from its first update on
ln -s "$SRC/traces" .
export SOURCE_DATE_EPOCH=1800000000
sed -n '/^schema: orrery.baseline/,/^```/p' "$SRC/configs/README.md" | grep -v '```' >base.yaml
orrery check base.yaml --update -m "first numbers"
orrery check base.yaml
ls refs
