#!/bin/sh
# What one layer costs follows from the members of a plan that a layer sees (LOCAL in plan.def): the
# search keeps one list of operations and one fold for all plans that have them alike. Whatever else
# core/workload and the folds read is named here, and belongs into the key of the search (layer_key).
set -u
cd "$RECKON_SOURCE" || exit 1
named='
messages_sharded core/workload/layers.c       what a stage sends
sequence_chunks  core/workload/layers.c       the same for all plans of a fold
sequence_chunks  core/workload/layers_chunks.c
sequence_chunks  core/estimate/fold.c
batch            core/workload/layers_build.c casts of weights, of a step; layer_key
data             core/workload/layers_build.c
data             core/estimate/fold.c         layer_key
ranks            core/estimate/fold.c         layer_key
ranks            core/estimate/operation_times.c how busy a node is; layer_key
pipeline         core/estimate/operation_times.c
recompute_every  core/estimate/fold.c         applied to a fold, not in it
recompute_rest   core/estimate/fold.c         how much of a fold is copied, not what is in it
optimizer        core/estimate/fold_step.c    the same for all plans of a space
'
whole=$(sed -nE 's/^PLAN_RANKS\( *WHOLE *, *[A-Z]+ *, *[a-z_0-9]+ *, *([a-z_0-9]+).*/\1/p
                 s/^PLAN_[A-Z]+\( *WHOLE *, *[A-Z]+ *, *([a-z_0-9]+).*/\1/p' include/reckon/plan.def | sort -u)
[ "$(echo "$whole" | wc -l)" -gt 20 ] || { echo "plan.def has hardly any WHOLE member"; exit 1; }
failed=0
for file in core/workload/*.[ch] core/estimate/fold*.[ch] core/estimate/operation*.[ch]; do
    read=$(sed "/^ \*/d; s,/[*].*,," "$file" | grep -oE '\b(plan|alone)(->|\.)[a-z_0-9]+|rk_plan_(data|shards|layout)\b' |
        sed -E 's/.*(->|\.)//; s/^rk_plan_//' | sort -u)
    for member in $read; do
        case $member in data | shards | layout) ;; *) echo "$whole" | grep -qx "$member" || continue ;; esac
        echo "$named" | grep -qE "^$member +$file( |\$)" && continue
        echo "$file reads $member, which is of the whole plan: see tests/house/local.sh"
        failed=1
    done
done
exit $failed
