orrery frobnicate --trace x
