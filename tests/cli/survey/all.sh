# Every claim of configs/survey holds, and the answer doesn't depend on how many work on it.
orrery survey -j 1 >one && orrery survey -j 3 >three || exit
cmp one three
grep -E '^(fails|error|skipped)' one
tail -n 1 one | sed 's/[0-9][0-9]*/N/g'
