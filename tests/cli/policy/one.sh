orrery policies fifo
