# Every code that the list has is explained, in lines of at most 80 columns.
orrery explain | awk '{print $1}' | sort -u >codes
while read -r code; do orrery explain "$code" || echo "nothing on $code"; done <codes >all
awk 'length > 80' all
grep 'nothing on' all
awk 'END {print (NR > 100 ? "many" : "few")}' codes
