# beside the tables, or alone on stdout; of equal results the same bytes
cp "$SRC/traces/tiny.csv" .
orrery run -t tiny.csv -c nodes=2,gpus=4 -p fifo -p srtf -o out -q >/dev/null
orrery compare out --metric jct.mean --html page.html | head -3
head -c 15 page.html
echo
orrery compare out --metric jct.mean --html - | cmp - page.html && echo the same
orrery compare out --html none/page.html
