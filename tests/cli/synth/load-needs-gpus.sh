orrery synth --load 0.9
