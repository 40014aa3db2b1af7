orrery synth --durations exp:1x
