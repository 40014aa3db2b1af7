# a reader that goes away: quiet, 141, and so too when the parent ignores SIGPIPE
orrery synth --jobs 100000 | head -n 1
echo "${PIPESTATUS[0]}"
(trap '' PIPE; orrery synth --jobs 100000; echo "$?" >status) | head -n 1 >/dev/null
cat status
