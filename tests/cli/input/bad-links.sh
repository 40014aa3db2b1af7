# what can't be wired is refused at its place
orrery describe nodes=1,gpus=4,nvlink=cube-mesh,nvlinks=6,nvlink_bw=20GB/s
echo $?
orrery describe nodes=2,nic_bw=12GB
echo $?
cat >c.yaml <<'END'
schema: orrery.cluster/1
nodes:
  - gpus: 4
    nvlink: 0-1 2-9
    nvlink_bw: 20GB/s
END
orrery describe c.yaml
echo $?
