orrery survey --list edf-optimal srtf
orrery survey --list | grep -c . | sed 's/[0-9][0-9][0-9]*/many/'
orrery survey --list --json srtf | sed "s|$SRC/||"
