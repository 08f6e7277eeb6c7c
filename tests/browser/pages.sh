#!/bin/sh
# Opens a page of each kind in Chromium (a plan, a search, a study, two plans, a measured run, clusters): every row of every chart is drawn, values appear under the
# pointer, legends, sorting and filtering work, nothing is loaded, nothing is said on the console;
# at the width of a desk and of a phone. With RECKON_SHOTS=1 screenshots stay in BUILD/tests/browser.
set -u
[ -x "${RECKON:-}" ] || { echo "there is no executable"; exit 77; }
browser=$(command -v chromium || command -v chromium-browser || command -v google-chrome) || {
    echo "there is no chromium"
    exit 77
}
tests=$RECKON_SOURCE/tests/browser
shots=$RECKON_BUILD/tests/browser
mkdir -p "$shots"
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM
cd "$work" || exit 1
failed=0

fail()
{
    echo "$*"
    failed=1
}

chromium() # options... page
{
    sandbox=
    [ "$(id -u)" -ne 0 ] || sandbox=--no-sandbox
    profile=$(mktemp -d "$work/profile.XXXXXX")
    HOME=$work timeout 90 "$browser" --headless $sandbox --disable-gpu --disable-quic --no-first-run \
        --disable-background-networking --disable-component-update --disable-sync \
        --disable-dev-shm-usage --hide-scrollbars --user-data-dir="$profile" \
        --enable-logging=stderr --virtual-time-budget=30000 "$@" 2>"$work/log"
    grep -F CONSOLE "$work/log" && fail "the console of ${*##*/} is not empty"
}

# The page with check.js, and with a script before all others that collects errors.
with_checks() # page copy
{
    awk '
        /^<\/body>$/ { exit }
        { print }
        /^<head>$/ {
            print "<script>window.pageErrors = [];"
            print "addEventListener(\"error\", e => pageErrors.push(\"error: \" + e.message));"
            print "addEventListener(\"unhandledrejection\", e => pageErrors.push(\"\" + e.reason));"
            print "</script>"
        }' "$1" >"$2"
    {
        echo '<script>'
        cat "$tests/check.js"
        printf '</script>\n</body>\n</html>\n'
    } >>"$2"
}

look() # name size suffix
{
    chromium --window-size="$2" --dump-dom "file://$work/$1-checked.html" >"$work/dom"
    sed -n '/<pre id="page-check">/,/<\/pre>/p' "$work/dom" |
        sed 's/.*<pre id="page-check">//; s/<\/pre>.*//' >"$work/result"
    echo "$1 $3: $(cat "$work/result")"
    head -n 1 "$work/result" | grep -q '^done: [1-9]' || fail "$1 $3: not as it should be"
}

shoot() # name size file options...
{
    page=$1 size=$2 file=$3
    [ "${RECKON_SHOTS:-}" ] || return 0
    shift 3
    chromium --window-size="$size" --screenshot="$shots/$file.png" "$@" "file://$work/$page.html"
    [ -s "$shots/$file.png" ] || fail "no screenshot of $page"
}

make() # name arguments...
{
    name=$1
    shift
    "$RECKON" report "$@" -o "$name.html" || fail "no page $name"
    with_checks "$name.html" "$name-checked.html"
}

cat >study.json <<'TEXT'
{"title": "A small study", "datatype": "float8", "batch": 512, "figures": [
  {"name": "capacity", "title": "MFU by capacity of the second tier", "gpus": [512],
   "models": ["multi-1t", "multi-2t"],
   "systems": ["h100-80g-nvl8", {"base": "h100-80g-nvl8", "mem2": ["256GiB@100GB/s", "1TiB@100GB/s"]}]},
  {"name": "scaling", "models": ["gpt3-175b"], "systems": ["h100-80g-nvl8", "h100-80g-nvl16"],
   "gpus": "64..1024 x2"}]}
TEXT
"$RECKON" study study.json --db study.db -q >/dev/null || fail "no study"

make plan "framework=calculon precision=fp16 tp8 pp8 vpp3 gbs64 recompute=full no-fused tp-net=0 pp-net=1 dp-net=1" --model gpt3-175b --system a100-80g-selene
make search --search --model gpt3-175b --system a100-80g-nvl8 --gpus 256 --batch 256
make study study.db
make both 'gpus16 tp2 gbs64 sp zero1' '+tp4' -m llama3.1-8b -s h100-sxm5-80g
make run -m gpt2-124m -s h100-sxm5-80g gpus16 pp2 mbs1 gbs16 precision=bf16 --addresses \
    --measured "$RECKON_SOURCE/tests/data/cases/report-measured/step.json"
"$RECKON" report -m llama3.1-8b gbs512 \
    -s "h100-sxm5-80g x16 + a100-sxm4-80g x16 link=100Gb/s@50us" -o clusters.html || fail "no page clusters"
with_checks clusters.html clusters-checked.html
for page in plan search study; do
    look $page 1200,900 desk
    look $page 500,850 narrow
    shoot $page 1100,2600 $page
done
for page in both run clusters; do look $page 1200,900 desk; done
shoot plan 1100,2600 plan-dark --blink-settings=preferredColorScheme=0
shoot plan 500,2600 plan-narrow
exit $failed
