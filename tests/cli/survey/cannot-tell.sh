# What can't be told is no success: exit 2, even beside a claim that holds.
sed -e 's/^policy: .*/policy: fivo/' "$SRC/configs/survey/srtf.yaml" >wrong.yaml
sed -e '$a needs: not/there.csv' "$SRC/configs/survey/srtf.yaml" >absent.yaml
orrery survey srtf wrong.yaml absent.yaml | tail -n 3
orrery survey srtf wrong.yaml absent.yaml >out
