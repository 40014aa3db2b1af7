printf 'TIMESTAMP,ContextTokens,GeneratedTokens,Client\n2023-11-16 18:17:03.9799600,4808,10,x\n2023-11-16 18:17:04.0319600,3180,8,y\n' >t.csv
orrery convert t.csv --to orrery -o r.csv 2>/dev/null && cat r.csv
orrery convert r.csv --to orrery 2>/dev/null | cmp - r.csv
orrery convert t.csv --to swf 2>&1 | tail -2
