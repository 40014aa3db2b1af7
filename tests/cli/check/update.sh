cp "$SRC/traces/tiny.csv" .
cp "$SRC/tests/baseline/tiny.yaml" b.yaml
sed -i "s/jct.mean: 4971.75/jct.mean: 5000 # why/; s/^12,1150/12,1151/" tiny.csv b.yaml
export SOURCE_DATE_EPOCH=1800000000
cp b.yaml old.yaml
orrery check b.yaml --update -m "the last job comes later"
diff old.yaml b.yaml
orrery check b.yaml
orrery check b.yaml --update -m "again"
