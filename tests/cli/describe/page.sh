printf 'job_id,submit,duration,gpus,user,vc\n1,0,10,1,ann,a\n2,0,5,8,bob,b\n3,100,2,4,ann,a\n' >t.csv
orrery describe t.csv --html t.html --svg t.svg >text && orrery describe t.csv | cmp - text
head -n 1 t.html
head -c 4 t.svg && echo
tail -n 1 t.html
grep -A 1 '<h2>Command' t.html
orrery describe t.csv --html=- | sed 's/t.csv --html=-/t.csv --html t.html --svg t.svg/' | cmp - t.html && echo the same
ls
