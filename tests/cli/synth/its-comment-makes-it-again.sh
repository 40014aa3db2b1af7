orrery synth --jobs 300 --shape helios --vcs 3 --users 9 --load 0.9 --gpus 128 --deadline-share 0.3 --limit-factor 2 -o a.csv
sed -n '1s/^# generator: //p' a.csv
bash -c "$(sed -n '1s/^# generator: //p' a.csv)" >b.csv
cmp a.csv b.csv && grep -c . b.csv
