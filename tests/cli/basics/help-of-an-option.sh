orrery help run clock
orrery help run policy
orrery help synth --out 2>/dev/null || echo "$?"
