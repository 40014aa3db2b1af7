# --write html: equal runs give equal pages, texts of the trace are no markup, and nothing is loaded
printf 'job_id,submit,duration,gpus,user,vc\n<script>alert(1)</script>,0,10,1,<b>,a&b\n2,0,5,8,bob,b\n3,100,2,4,ann,a&b\n' >t.csv
orrery run -t t.csv -c nodes=2,gpus=8 -p fifo -q -o a --write html >table
orrery run -t t.csv -c nodes=2,gpus=8 -p fifo -q -o a --force --write html >table
mv a/report.html first.html
orrery run -t t.csv -c nodes=2,gpus=8 -p fifo -q -o a --force --write html >table
cmp a/report.html first.html && echo the same
head -n 1 first.html
grep -o 'figure class="[a-z ]*" id="[a-z]*"' first.html
grep -c '<script>alert\|<b>,\|http:\|https:' first.html
grep -o '<td>&lt;script&gt;[^<]*' first.html
grep -o '<title>&lt;script&gt;[^<]*' first.html
