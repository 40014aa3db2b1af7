orrery policies fifo srtf
