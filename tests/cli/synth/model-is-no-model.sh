echo '{"schema": "orrery.synth-model/1", "jobs": "many"}' >model.json
orrery synth --model model.json
