orrery --trace x run
