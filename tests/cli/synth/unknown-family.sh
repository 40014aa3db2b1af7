orrery synth --with loss,nose
