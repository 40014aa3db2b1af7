orrery survey edf-optimal srtf --markdown
