orrery synth --shape pai --jobs 6 --vcs 2
