printf 'placement,local_bsz,step_time,sync_time\n1,4,0.4,0.1\n' >placements.csv
orrery describe placements.csv
