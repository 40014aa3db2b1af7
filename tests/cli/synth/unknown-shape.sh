orrery synth --shape phily
