orrery survey edf-optimal srtf --csv
