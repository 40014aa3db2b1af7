orrery synth --requests 10 --jobs 10
