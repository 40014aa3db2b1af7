# a cluster's page and drawing show its kinds of node
orrery describe dgx1-v100 --html d.html --svg d.svg >text && orrery describe dgx1-v100 | cmp - text
head -n 1 d.html
head -c 4 d.svg && echo
# sixteen pairs have links, eight of them two
grep -c 'class="arc' d.svg
grep -o 'GPU [03] - GPU [347]: [^<]*' d.svg
grep -o '>nic [0-9]<\|>switch [0-9]<\|>socket [0-9]<\|>n[0-9]<' d.svg | sort | uniq -c | wc -l
grep -c 'figure class="plot wide"' d.html
orrery describe dgx2 --svg - | grep -o 'NVSwitch[^<]*' | tail -n 1
orrery describe 'nodes=1,gpus=4,type=<x>' --svg - | grep -o '<text class="title" x="5"[^/]*'
orrery describe openb --html - | grep -c '<figure'
