orrery synth --jobs 0
