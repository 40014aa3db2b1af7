orrery synth --requests 10 --services a,b,a
