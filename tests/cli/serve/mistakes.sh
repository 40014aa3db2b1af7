# what goes wrong at first: each message says what to do
exec 2>&1
shown() { "$@" 2>&1 | sed "s#$SRC/##"; }
shown orrery run --serve aimd -c nodes=1,gpus=4
shown orrery run --services two-model -c nodes=1,gpus=4,type=V100
shown orrery run --services two-models -c nodes=1,gpus=4 --serve aimd
shown orrery run --services two-models -c nodes=1,gpus=3,type=V100 --serve aimd
shown orrery run -t "$SRC/traces/requests-mix-2k.csv" -c nodes=1,gpus=4 -p fifo
shown orrery run --services two-models -c nodes=1,gpus=4,type=V100 --where 'gpus > 1'
shown orrery run --services two-models -c nodes=1,gpus=4,type=V100 --cooldown 1s
sed 's/slo: 60ms/sol: 60ms/' "$SRC/configs/services/two-models.yaml" >a.yaml
shown orrery run --services a.yaml -c nodes=1,gpus=4,type=V100
sed 's/variant: small, type: V100/variant: small, type: P100/' "$SRC/configs/services/two-models.yaml" >a.yaml
shown orrery run --services a.yaml -c nodes=1,gpus=4,type=V100
shown orrery run --services "$SRC/traces/requests-mix-2k.csv" -c nodes=1,gpus=4 | cut -c1-60
shown orrery describe aimd
shown orrery help services
shown orrery run -t "$SRC/traces/tiny.csv" --services two-models -c nodes=1,gpus=4,type=V100 -p fifo | sed -n 's/.*(1150.000 s): //;1,2p' | cut -c1-140
