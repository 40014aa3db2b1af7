orrery synth --shape gavel --throughputs synthetic --jobs 6 --arrivals poisson --seed 7
orrery synth --shape gavel --throughputs synthetic --with models
