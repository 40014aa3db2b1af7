# results that don't fit: exit 74, and no file that looks whole but isn't
mkdir disk
mount -t tmpfs -o size=64k none disk 2>/dev/null || { echo "needs the right to mount a tmpfs" >&2; exit 77; }
trap 'umount disk' EXIT
orrery synth --jobs 5000 --vcs 4 -o t.csv
orrery run -t t.csv -c nodes=8,gpus=8 -p fifo -o disk/out -q >/dev/null 2>told
echo "$?"
sed 's/: No space.*//' told | sort -u
ls -A disk/out
