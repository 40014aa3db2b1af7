# a trace of requests has a page, too
printf 'arrival,tokens_in,tokens_out,service\n0,10,1,"<script>alert(1)</script>"\n2,20,2,b\n9,20,2,b\n' >r.csv
orrery describe r.csv --html r.html >text && orrery describe r.csv | cmp - text
head -n 1 r.html
grep -o 'figure class="[a-z ]*" id="[a-z]*"' r.html
grep -c '<script>alert' r.html
grep -A 1 '<h2>Command' r.html
