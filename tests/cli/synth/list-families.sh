orrery synth --list-families
