orrery synth --shape acme --jobs 4 --trials 2 --with loss,noise,host,sharing,scaling,models,trials,retries,deadlines,weights
