orrery synth --requests 8 --services chat,search --service-zipf 1 --tokens-in 1000:1 --tokens-out 5
orrery synth --requests 5000 --services 2 --arrivals mmpp --mmpp 1:30s,9:10s --rate 50 --bin 20s
