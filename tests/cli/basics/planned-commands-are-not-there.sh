for c in new-policy test-policy completion; do
    orrery "$c" 2>/dev/null
    echo "$c $?"
done
orrery help | grep -cE '^  (new-policy|test-policy|completion)'
