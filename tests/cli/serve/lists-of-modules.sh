# modules of serving by their kind, and how each is asked for
orrery policies --kind=serving | grep aimd
orrery policies aimd
orrery policies --kind=serving --json | jq -c '.modules[] | select(.name == "aimd") | .kind, .knowledge.exec'
