orrery synth --arrivals mmpp --mmpp 1:4h,ten:20m
