#!/bin/bash
# What bash offers for the beginning of a command line.
set -u
[ -x "${RECKON:-}" ] || { echo "there is no executable"; exit 77; }
[ -n "${BASH_VERSION:-}" ] || exec bash "$0" || exit 77
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
ln -s "$RECKON" "$work/reckon"
PATH=$work:$PATH
. "$RECKON_BUILD/completions/reckon.bash"

failed=0
offers() # expected, words...
{
    expected=$1
    shift
    COMP_WORDS=("$@")
    COMP_CWORD=$(($# - 1))
    COMPREPLY=()
    _reckon
    [ "${COMPREPLY[*]}" = "$expected" ] && return
    echo "$*: offers \"${COMPREPLY[*]}\" instead of \"$expected\""
    failed=1
}
offers 'search serve' reckon se
offers help reckon he
offers --model reckon search --mod
offers 'gpt3-13b gpt3-175b' reckon search --model gpt3-
offers 'gpt3-13b gpt3-175b' reckon search --model = gpt3-
offers 'gpt3-13b gpt3-175b' reckon models gpt3-
offers 'none selective full' reckon predict --recompute ''
offers 'table json csv' reckon search -f ''
offers 'llm llm-optimal-execution llm-all-executions llm-parameter-calculator' reckon calculon llm
offers 'tp tp-overlap=none tp-overlap=ring tp-overlap=pipe tp-net=' reckon predict tp
offers llama3.1-70b reckon fits llama3.1-7
offers llama3.1-70b reckon predict llama3.1-7
offers h200-sxm-141g reckon predict llama3.1-70b h200
offers '' reckon predict -m llama3.1-70b llama3.1-7
offers 'tp tp-overlap=none tp-overlap=ring tp-overlap=pipe tp-net=' reckon predict llama3.1-70b h200-sxm-141g tp
offers 'schedule=gpipe schedule=1f1b schedule=zero-bubble schedule=dualpipe schedule=zero-bubble-2p schedule=v-zero schedule=v-half schedule=v-min' reckon fits schedule
offers --peers reckon calculon llm --p
exit $failed
