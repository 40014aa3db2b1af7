orrery synth --rate 10
