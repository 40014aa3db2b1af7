printf 'job_id,submit,duration,gpus\n1,0,10,1\n' >t.csv
orrery describe t.csv | sed 's/t\.csv/X/g' >a
orrery describe - <t.csv | sed 's/<stdin>\|^\(trace  *\)-/\1X/g' >b
diff a b && echo same
