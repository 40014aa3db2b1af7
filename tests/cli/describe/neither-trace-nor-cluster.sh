printf 'alpha beta\n' >x
orrery describe x
