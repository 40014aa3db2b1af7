# a scenario in which nothing happens is no scenario; and what is drawn is drawn again by the same seed
orrery synth --shape philly --jobs 200 --gpus 32 --load 0.8 -o t.csv
printf 'schema: orrery.scenario/1\n' >empty.yaml
printf 'schema: orrery.scenario/1\nfailures: [{mtbf: 3d, mttr: 2h}, {of: gpu, mtbf: 20d, mttr: 1d, shape: 0.7}]\n' >s.yaml
run() { orrery run -t t.csv -c nodes=4,gpus=8,type=V100 -p srtf --no-wall -q "$@" >/dev/null; }
run -o without
run -o with --scenario empty.yaml
cmp without/jobs.csv with/jobs.csv && cmp without/attempts.csv with/attempts.csv && echo same
run -o once --scenario s.yaml
run -o again --scenario s.yaml
run -o other --scenario s.yaml --seed 2
diff -r -x manifest.json once again && echo same
cmp -s once/attempts.csv other/attempts.csv || echo another seed, other failures
grep -c interrupted once/attempts.csv
