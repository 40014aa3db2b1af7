orrery synth --users -2
echo $?
orrery synth --users many
