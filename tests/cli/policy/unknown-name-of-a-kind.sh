orrery policies fifo --kind place
