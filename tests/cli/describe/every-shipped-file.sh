for f in "$SRC"/traces/*.csv "$SRC"/configs/clusters/*.yaml "$SRC"/configs/services/*.yaml; do
    orrery describe "$f" >text 2>told && orrery describe --json "$f" >json || { echo "$f"; cat told; }
done
