orrery synth --list-shapes
