orrery synth --load 0.9 --gpus 8 --span 1d
