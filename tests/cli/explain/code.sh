orrery explain mixed-clocks
orrery explain bad-number --json
