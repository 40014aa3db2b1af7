orrery run --pol fifo
