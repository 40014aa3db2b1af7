orrery policies --kind place | awk '{ print $2 }' | sort -u
orrery policies --kind sched | awk '{ print $2 }' | sort -u
orrery policies --kind estimate --json | grep '"kind":' | sort -u
