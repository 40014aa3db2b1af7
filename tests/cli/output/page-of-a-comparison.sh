# compare --html: one page, and - is stdout
printf 'job_id,submit,duration,gpus\n1,0,100,8\n2,1,5,8\n3,2,50,4\n' >t.csv
orrery run -t t.csv -c nodes=1,gpus=8 -p fifo -p sjf -p srtf -q -o out >table
orrery compare out/fifo out/sjf out/srtf --html c.html >text && head -n 1 c.html
orrery compare out/fifo out/sjf out/srtf --html - | cmp - c.html && echo the same
grep -o 'figure class="[a-z ]*" id="[a-z_0-9-]*"' c.html
grep '<td>jct.mean' c.html
