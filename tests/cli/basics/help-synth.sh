orrery help synth
