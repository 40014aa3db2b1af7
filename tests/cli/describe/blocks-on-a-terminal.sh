# plain characters in a pipe and in the C locale, blocks on a terminal that shows UTF-8
command -v script >/dev/null || { echo "no script(1)" >&2; exit 77; }
printf 'job_id,submit,duration,gpus\n1,0,10,1\n' >t.csv
LC_ALL=C.UTF-8 orrery describe t.csv | grep -c '█'
LC_ALL=C.UTF-8 script -qec 'orrery describe t.csv' typed </dev/null | grep -q '█' && echo blocks
LC_ALL=C script -qec 'orrery describe t.csv' typed </dev/null | grep -q '█' || echo none
