# what the help shows as examples works in the source folder
mkdir here && cp -r "$SRC/traces" "$SRC/configs" here && cd here || exit 1
for c in run policies describe convert synth version help; do
    orrery help "$c" | sed -n '/^Examples$/,/^$/s/^  \(orrery .*\)$/\1/p'
done >commands
while read -r line; do
    bash -c "$line" >stdout 2>stderr || { echo "$line"; cat stderr; }
    [[ -s stdout ]] || echo "no output: $line"
done <commands
