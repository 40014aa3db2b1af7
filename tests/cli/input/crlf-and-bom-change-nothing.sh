printf 'job_id,submit,duration,gpus\n1,0,10,1\n2,5,10,1\n' >plain.csv
sed 's/$/\r/' plain.csv >crlf.csv
{ printf '\xef\xbb\xbf'; cat plain.csv; } >bom.csv
for f in plain crlf bom; do orrery run -c nodes=2,gpus=4 -p fifo -t $f.csv --csv >$f; done
cmp plain crlf && cmp plain bom
