# what the help shows as examples works in the source folder
mkdir -p here/tests && cp -r "$SRC/traces" "$SRC/configs" here && cp -r "$SRC/tests/baseline" here/tests && cd here || exit 1
for c in run compare check policies describe convert synth sweep survey plan version help; do
    orrery help "$c" | sed -n '/^Examples$/,/^$/s/^  \(orrery .*\)$/\1/p'
done >commands
# survey/all runs the whole of `orrery survey`
sed -i '/^orrery survey$/d' commands
while read -r line; do
    bash -c "$line" >stdout 2>stderr || { echo "$line"; cat stderr; }
    [[ -s stdout ]] || echo "no output: $line"
done <commands
