#!/bin/bash
# Opens every kind of page in a real browser, without network: on a phone (360) and on a wide screen (1280), light and
# dark. Nothing may be said on the console or be loaded; every plot has marks; no label runs into another; the page never
# scrolls sideways; tables sort. A page that is wrong on purpose shows that all this is noticed.
#
# usage: browser.sh ORRERY SOURCE [KEEP]: pages and pictures stay in the folder KEEP, to be looked at.
# Exits 77 where there is no browser.
set -euo pipefail
orrery=$1 source=$2

browser=$(command -v chromium || command -v chromium-browser || command -v google-chrome) || {
    echo "skipped: no chromium (Debian package chromium)"
    exit 77
}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failed=0
wrong() { echo "FAILED: $*"; failed=1; }

# ---- the pages ----

requests() { # 600 requests of an hour, some at once, two services
    echo '# origin: 2024-05-06 08:00:00'
    echo 'arrival,tokens_in,tokens_out,service,client,duration'
    for i in $(seq 0 599); do
        echo "$((i * i % 3600 + 3600 * (i / 100) / 6)).$((i % 10)),$((i * 37 % 4000 + 1)),$((i * 11 % 300)),m$((i % 3 / 2)),c$((i % 17)),$((i % 40)).5"
    done
}

cd "$work"
cluster=$source/configs/clusters/8x8-v100.yaml
for policy in fifo srtf tiresias; do
    "$orrery" run -t "$source/traces/philly-2k.csv" -c "$cluster" -p $policy --costs testbed -q -o $policy --no-log \
        --write html >table
done
mv tiresias/report.html run.html
"$orrery" run -t "$source/traces/helios-5k.csv" -c "$source/traces/helios-5k.vc.csv" --gpus-per-node 8 -p srtf -q -o vcs \
    --no-log --write html >table 2>notes
mv vcs/report.html vcs.html
"$orrery" compare fifo srtf tiresias --html compare.html >table
"$orrery" describe "$source/traces/philly-2k.csv" -c "$cluster" --html trace.html >table
requests >requests.csv
"$orrery" describe requests.csv --html requests.html >table
"$orrery" run --services two-models -c nodes=1,gpus=4,type=V100 --scale-load 5 --serve none --serve aimd --serve nexus \
    -q -o served --write html >table
mv served/aimd/report.html served.html
"$orrery" compare served/* --html modules.html >table
cat >wrong.html <<'END'
<!DOCTYPE html><html><head><meta charset="utf-8"/></head><body>
<figure id="none"><svg class="area"><text x="1" y="9">one</text><text x="3" y="9">two</text></svg></figure>
<div style="width:2000px">wide</div><script>console.warn('wrong on purpose')</script></body></html>
END

pages="run vcs compare trace requests served modules"
plots_of() {
    case $1 in
    run | vcs) echo "gpus queue jct wait sizes rho nodes schedule" ;;
    compare) echo "jct wait changes jobs_queued gpus_held splits-1 splits-2" ;;
    trace) echo "durations sizes size-hours days demand hours users" ;;
    served) echo "latency requests waiting batches executors" ;;
    modules) echo "latency dropped waiting busy batches" ;;
    requests) echo "arrivals tokens gaps bursts durations hours services clients" ;;
    esac
}

# ---- the harness: each page as it is, and a copy with the probe at both widths ----

frames=
probed() { # PAGE
    sed -e '/http-equiv="Content-Security-Policy"/d' -e "s/<body>/<body data-page=\"$1\">/" "$1.html" |
        awk -v probe="$source/tests/pages/probe.js" '
            /<\/body>/ { print "<script>"; while ((getline line < probe) > 0) print line; print "</script>" } { print }' \
            >"probed-$1.html"
    frames="$frames['probed-$1.html',360],['probed-$1.html',1280],"
}
for page in $pages; do
    frames="$frames['$page.html',1280],"
    probed $page
done
probed wrong
sed "s/FRAMES/[$frames]/" "$source/tests/pages/harness.html" >harness.html

open() { # OPTION...: headless, nothing kept, no name resolves; the console goes to stderr
    timeout 60 "$browser" --headless --no-sandbox --disable-gpu --hide-scrollbars --user-data-dir="$work/profile" \
        --no-first-run --disable-background-networking --disable-component-update --disable-sync \
        --host-resolver-rules="MAP * ~NOTFOUND" --enable-logging=stderr --virtual-time-budget=3000 "$@"
}
dark=--blink-settings=preferredColorScheme=0
light=--blink-settings=preferredColorScheme=1
scheme() { # NAME OPTION
    open "$2" --window-size=1400,1000 --dump-dom "file://$work/harness.html" >"$1.dom" 2>"$1.log" || wrong "$1: no answer"
    sed -n '/<pre id="told">/,/<\/pre>/p' "$1.dom" | sed -e 's/.*<pre id="told">//' -e 's/<\/pre>.*//' >"$1.told"
}
scheme light $light
scheme dark $dark

# ---- what must hold ----

value() { # FILE PAGE WIDTH FACT
    awk -v p="$2" -v w="$3" -v f="$4" '$1 == p && $2 == w && $3 == f { $1 = $2 = $3 = ""; sub(/^ +/, ""); print }' "$1"
}
one() { # PAGE WIDTH
    local told=light.told id n
    [ "$(value $told $1 $2 overflow)" = 0 ] || wrong "$1 at $2: it scrolls sideways by '$(value $told $1 $2 overflow)'"
    [ "$(value $told $1 $2 loaded)" = 0 ] || wrong "$1 at $2: it loads something"
    [ "$(value $told $1 $2 sorting)" = sorts ] || wrong "$1 at $2: $(value $told $1 $2 sorting)"
    [ -z "$(value $told $1 $2 label)" ] || wrong "$1 at $2: labels: $(value $told $1 $2 label)"
    for id in $(plots_of $1); do
        n=$(value $told $1 $2 marks | awk -v id="$id" '$1 == id { print $2 }')
        [ "${n:-0}" -gt 0 ] || wrong "$1 at $2: the plot $id has no marks"
    done
    [ "$(value light.told $1 $2 back)" = 'rgb(255,255,255)' ] || wrong "$1 at $2: light isn't light"
    [ "$(value dark.told $1 $2 back)" = 'rgb(18,21,26)' ] || wrong "$1 at $2: dark isn't dark"
}
for page in $pages; do
    one $page 360
    one $page 1280
    grep -q 'https\?:' $page.html && wrong "$page: it names an address"
done
[ "$(value light.told wrong 360 overflow)" -gt 1000 ] || wrong "a page that is too wide isn't noticed"
[ "$(value light.told wrong 360 label)" = "none one / two" ] || wrong "labels that clash aren't noticed"
[ "$(value light.told wrong 360 marks)" = "none 0" ] || wrong "a plot without marks isn't noticed"
for log in light.log dark.log; do
    grep -q 'CONSOLE.*wrong on purpose' $log || wrong "$log: the console isn't heard"
    grep 'CONSOLE' $log | grep -v 'wrong on purpose' && wrong "$log: the console says something"
done

for scheme in light dark; do
    open ${!scheme} --window-size=360,800 --screenshot="$work/$scheme.png" "file://$work/run.html" >table 2>&1 ||
        wrong "$scheme: no picture"
done
cmp -s light.png dark.png && wrong "light and dark look the same"

if [ $# -gt 2 ]; then
    mkdir -p "$3"
    cp ./*.html ./*.told "$3"
    for page in $pages; do
        open $light --window-size=1280,3600 --screenshot="$3/$page-1280-light.png" "file://$work/$page.html" >table 2>&1
        open $dark --window-size=1280,3600 --screenshot="$3/$page-1280-dark.png" "file://$work/$page.html" >table 2>&1
        open $light --window-size=360,6000 --screenshot="$3/$page-360-light.png" "file://$work/$page.html" >table 2>&1
        open $dark --window-size=360,6000 --screenshot="$3/$page-360-dark.png" "file://$work/$page.html" >table 2>&1
    done
fi
[ $failed = 0 ] && echo "$(echo $pages | wc -w) pages, 2 widths, 2 schemes"
exit $failed
