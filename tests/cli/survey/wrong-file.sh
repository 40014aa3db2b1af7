sed -e 's/^expect:/expct:/' "$SRC/configs/survey/srtf.yaml" >one.yaml
sed -e 's/jct.mean ==/jct.median ==/' "$SRC/configs/survey/srtf.yaml" >two.yaml
orrery survey one.yaml two.yaml
