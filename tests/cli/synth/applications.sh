orrery synth --seed 2 --jobs 5 --span 1h --arrivals poisson --applications synthetic >t.csv
cat t.csv
orrery synth --seed 2 --jobs 5 --span 1h --arrivals poisson --applications synthetic --configured random --max-gpus 8 | cut -d, -f1-4,7,9
orrery synth --applications synthetic --throughputs synthetic
echo $?
printf 'global_batch_size,1\n1,1\n' >x.csv
mkdir f && mv x.csv f
orrery synth --applications f
