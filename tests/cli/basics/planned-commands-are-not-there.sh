for c in compare sweep check verify explain plan survey new-policy test-policy completion; do
    orrery "$c" 2>/dev/null
    echo "$c $?"
done
orrery help | grep -cE '^  (compare|sweep|check|verify|explain|plan|survey|new-policy|test-policy|completion)'
