printf '[{"status": "Pass", "vc": "a", "jobid": "j1"' >t.json
orrery run -c nodes=2,gpus=4 -p fifo -t t.json
