# options may follow operands, letters bundle, -- ends options, a long value may follow = or a blank
orrery policies --kind place >a
orrery policies --kind=place >b
orrery policies --json consolidate >c
orrery policies consolidate --json >d
orrery policies --color=never --json -- consolidate >e
orrery --color never policies --no-json --json consolidate >f
orrery run -qvh >g && orrery help run >h
cmp a b && cmp c d && cmp c e && cmp c f && cmp g h
orrery policies -- --json
