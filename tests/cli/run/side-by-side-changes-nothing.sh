# policies one after the other and in several processes: files, tables and messages are the same bytes
orrery synth --jobs 400 --load 1.3 --gpus 64 --seed 3 -o t.csv
for j in 1 3 0; do
    orrery run -t t.csv -c nodes=8,gpus=8 -p all -p fifo,hol=skip+spread --max-events 120 --no-wall -o out$j --json -j $j >json$j 2>told$j
    echo "$? $(grep -c schema json$j) $(wc -l <told$j)"
    orrery run -t t.csv -c nodes=8,gpus=8 -p fifo -p srtf -p las --no-wall -o out$j -j $j --force >table$j 2>more$j
    echo "$?"
    sed -i '/"command"/d' out$j/*/manifest.json
    [[ $j == 1 ]] || { cmp table1 table$j && cmp json1 json$j && cmp told1 told$j && cmp more1 more$j && diff -r out1 out$j && echo same; }
done
