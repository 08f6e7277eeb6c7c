#!/bin/sh
# The commands that README.md, docs/*.md and docs/notes/*.md name: their options are known, those that are complete run,
# and what a page shows below "$ reckon ..." is among what is printed today ("..." stands for what is
# left out; numbers may be 3 % off). Outputs that readme.sh compares whole are left to it.
set -u
[ -x "${RECKON:-}" ] || { echo "there is no executable"; exit 77; }
root=${RECKON_SOURCE:-$(cd "$(dirname "$0")/../.." && pwd)}
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
mkdir "$work/bin" "$work/cwd"
ln -s "$RECKON" "$work/bin/reckon"
for room in tests data examples studies; do ln -s "$root/$room" "$work/cwd/$room"; done
PATH=$work/bin:$PATH
cd "$work/cwd" || exit 1
failed=0
fail() { echo "$*"; failed=1; }

# page, a tab, the command: of lines of their own, and of text. A line that ends in \ goes on.
for page in "$root"/README.md "$root"/docs/*.md "$root"/docs/notes/*.md; do
    name=${page#"$root"/}
    sed -e ':a' -e '/\\$/{N;s/\\\n */ /;ta' -e '}' "$page" |
        sed -nE 's/^ *(\$ )?(reckon [a-z].*)$/\2/p; s/ +#.*//' |
        grep -v 'reckon-' | sed "s|^|$name	|"
    grep -oE '`reckon [a-z]+ [^`]+`' "$page" | tr -d '`' | sed "s|^|$name	|"
done | sed -E 's/  +#.*//; s/ &$//' | sort -u >commands
[ "$(wc -l <commands)" -gt 150 ] || fail "only $(wc -l <commands) commands were found"

# ---- options ----

help() # words of a command; its own help, or that of its subcommand
{
    file=help-$1-$(echo "${2:-}" | tr / _)
    [ -s "$file" ] || reckon "$1" ${2:+"$2"} --help-all >"$file" 2>/dev/null || rm -f "$file"
    [ -s "$file" ] && cat "$file"
}

tab=$(printf '\t')
while IFS=$tab read -r page command; do
    # shellcheck disable=SC2086
    set -- ${command%%|*}
    case ${3:-} in [a-z]*) help "$2" "$3" >known ;; *) : >known ;; esac
    [ -s known ] || help "$2" >known
    [ -s known ] || { fail "$page: there is no reckon $2"; continue; }
    for word; do
        case $word in
            --help | --help-all) ;;
            --[a-z]*) grep -qE -e "(^| )${word%%=*}([ =,]|\$)" known || fail "$page: reckon $2 has no ${word%%=*}: $command" ;;
        esac
    done
done <commands

# ---- what is complete runs ----

run() # command; its output in out; each runs once
{
    kept=out-$(echo "$1" | cksum | tr ' ' -)
    if [ ! -e "$kept" ]; then
        LC_ALL=C.UTF-8 NO_COLOR=1 timeout 200 sh -c "$1" >"$kept" 2>err </dev/null
        echo $? >"$kept.status"
    fi
    cp "$kept" out
    return "$(cat "$kept.status")"
}

# What would take too long, or needs what is not here.
left_out='study|validate|train|compare|measure|generate|eval|tokenize|tokenizer|corpus|shard|merge|reshard|import|doctor|adapt|calibrate'
while IFS=$tab read -r page command; do
    case $command in *...* | *[A-Z][A-Z][A-Z]* | *\\*) continue ;; esac
    case $page in README.md | docs/walk.md | docs/accuracy.md | docs/memory.md | docs/imports.md | docs/exports.md) grep -qF "\$ $command" "$root/$page" && continue ;; esac # readme.sh runs it
    echo "$command" | grep -qE "^reckon ($left_out) " && continue
    case $command in # with a model and a machine, or what needs neither
        *' -m '*' -s '* | *' -m '*'--system '* | 'reckon export '*' -m '* | 'reckon budget '* | 'reckon place '* | 'reckon galvatron search --p'*) ;;
        *) continue ;;
    esac
    case $command in *'gpt3-175b -b 1536 -s "h100-sxm5-80g x1024 +'* | *' + '*--pareto* | *' + '*--sensitivity) continue ;; esac # seconds: cli.clusters-orders, cli.clusters-sensitivity
    case $command in *here.json* | *model.json* | *' a.json'* | *' p.json '* | *' -m M '*) continue ;; esac
    run "$command"
    status=$?
    [ $status -eq 0 ] || [ $status -eq 1 ] || fail "$page: exit status $status of: $command: $(cat err)"
    echo "$command" >>ran
done <commands
[ "$(wc -l <ran)" -gt 30 ] || fail "only $(wc -l <ran) commands ran"

# ---- what is shown ----

shown() # page: each "$ " command, and the lines below it as "> LINE"
{
    sed -e ':a' -e '/\\$/{N;s/\\\n */ /;ta' -e '}' "$1" | awk '
        /^ *```$/ { inside = 0 }
        inside { print "> " $0 }
        /^\$ / { inside = 0 }
        /^\$ reckon / { inside = 1; print substr($0, 3) }'
}

# Word for word, and each number within 3 %: what a better prediction moves by less is not worth an edit.
is_printed() # line
{
    printf '%s\n' "$1" | awk '
        function number(w) { gsub(/,/, "", w); return w }
        NR == FNR { open = sub(/ \.\.\.$/, ""); n = split($0, want); next }
        {
            if (NF < n || (!open && NF > n)) next
            for (i = 1; i <= n; i++) {
                a = number(want[i]); b = number($i)
                if (a == b) continue
                if (a !~ /^[0-9.]+$/ || b !~ /^[0-9.]+$/) break
                d = a - b; if (d < 0) d = -d
                if (d > 0.03 * b + 1e-9) break
            }
            if (i > n) { found = 1; exit }
        }
        END { exit !found }' - out
}

for page in $(cd "$root/docs" && ls ./*.md | sed "s,./,,;s,[.]md$,,"); do
    command=
    shown "$root/docs/$page.md" >lines
    while IFS= read -r line; do
        case $line in
            '> '*)
                line=${line#> }
                case $line in '' | ...) continue ;; esac
                [ "$command" ] || continue
                is_printed "$line" || fail "docs/$page.md shows what is not printed: \"$line\" of $command"
                ;;
            *)
                command=$line
                case $command in *'reckon predict ...'* | *' dump'* | *' node.xml'* | *topology.conf* | *a.json*) command= ;; esac
                case $command in *'gpt3-175b -b 1536 -s "h100-sxm5-80g x1024 +'* | *' + '*--pareto* | *' + '*--sensitivity) command= ;; esac
                [ "$command" ] && run "$command"
                ;;
        esac
    done <lines
done
[ $failed -eq 0 ] && echo "$(wc -l <commands) commands, $(wc -l <ran) ran"
exit $failed
