# every error, warning and note that the cases expect can be read by an editor or a CI matcher:
# file:line:column: severity: message [code], then the text indented, then a hint
cat $(ls "$SRC"/tests/cli/*/*.stderr | grep -v /color) | grep -vE \
    -e '^[^:]+:([0-9]+:){0,2} (error|warning|note): .+ \[[a-z0-9-]+\]$' \
    -e '^(job .+ )?@ [0-9]+d [0-9:]{8} \([0-9.]+ s\): error: .+ \[[a-z0-9-]+\]$' \
    -e '^    .' -e '^hint: .' -e '^and [0-9,]+ more of this kind \[[a-z0-9-]+\]$' >odd
# the screen of a bare `orrery` is no error
orrery 2>&1 | grep -vxFf - odd || true
