orrery synth --jobs 3 --report r.json
