printf 'submit,duration,gpus\n0,1,1\n' | orrery convert - --to orrery
