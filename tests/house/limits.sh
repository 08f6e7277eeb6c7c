#!/bin/sh
# What bounds an input or an answer is a row of core/base/limits.def, which says what becomes of more: a
# constant MOST_... or MAX_... of the sources is not defined elsewhere.
cd "$RECKON_SOURCE" || exit 1
sources='core formats executor published cli'
table=core/base/limits.def
# These bound no input and no answer: how much a search tries, what a picture draws, buffers, and values
# of options, whose rows refuse more.
others=' MAX_BATCH MAX_COMM_OPS MAX_DEGREE MAX_FIGURES MAX_GPUS MAX_ITEMS MAX_KEYS MAX_KINDS MAX_NAMES MAX_OPERATIONS
 MAX_ROWS MAX_SEQUENCE MAX_WAITING MOST_AGAIN MOST_AROUND MOST_BARS MOST_BATCHES MOST_BESIDE MOST_BUCKETS MOST_BUFFERS
 MOST_CHUNK MOST_CHUNKS MOST_CONJUNCTS MOST_DAYS MOST_DOUBLINGS MOST_DRAWN MOST_EVENTS MOST_FIELDS MOST_HALVINGS MOST_HEADER
 MOST_HIDDEN_STEP MOST_JOBS MOST_JUDGED MOST_LANES MOST_LIMITS MOST_LINKED MOST_LISTED MOST_LOOKS MOST_MARKED
 MOST_MARKS MOST_MB MOST_MEMBERS MOST_MICROBATCH MOST_NAME MOST_NETWORKS MOST_NODES MOST_ORDERED MOST_PAIRED MOST_PAIRS
 MOST_PARAMETERS MOST_PARTS MOST_PASSES MOST_PATH MOST_PIECES MOST_PLACES MOST_PLANS MOST_REST MOST_ROWS MOST_RUNS MOST_SAMPLES
 MOST_SEQUENCE MOST_SERIES MOST_SHOWN MOST_SLIPS MOST_SPANS MOST_SPLIT MOST_STAGES MOST_STARTS MOST_STEPS MOST_TIMES
 MOST_TOGETHER MOST_TOKENS MOST_USD MOST_VALUES MOST_VARIABLES MOST_WAYS
 MOST_WEIGHT '
failed=0
say() { echo "$1"; failed=1; }

for one in $others; do
    grep -rqw --include='*.[ch]' "$one" $sources || say "tests/house/limits.sh: $one: is not there any more"
done

defined=$(grep -rnoE '\b(MOST|MAX)_[A-Z0-9_]+ *=[^=]|#define +(MOST|MAX)_[A-Z0-9_]+' $sources --include='*.[ch]' |
    grep -vE '^(formats/|core/facts/)' | sed -E 's/^([^:]*:[0-9]+):(#define +)?([A-Z0-9_]+).*/\1=\3/')
for one in $defined; do
    case "$others" in
    *[[:space:]]"${one#*=}"[[:space:]]*) ;;
    *) say "${one%=*}: ${one#*=}: make it a row of $table, which says what becomes of more" ;;
    esac
done

for row in $(sed -nE 's/^LIMIT\(([A-Z0-9_]+), .*, ([A-Z]+)\)$/\1=\2/p' $table); do
    name=${row%=*}
    users=$(grep -rlw "$name" $sources --include='*.[ch]') || say "$table: $name: nothing is bounded by it"
    case ${row#*=} in
    REFUSE | COUNT) ;;
    PROVED) grep -qE "RK_REQUIRE\(.*\b$name\b" $users || say "$table: $name: no RK_REQUIRE holds it" ;;
    *) say "$table: $name: REFUSE, COUNT or PROVED" ;;
    esac
done
[ "$(grep -c '^LIMIT(' $table)" = "$(sed -nE '/^LIMIT\([A-Z0-9_]+, .*, [A-Z]+\)$/p' $table | wc -l)" ] ||
    say "$table: a row is LIMIT(NAME, value, \"what\", on_overflow)"
exit $failed
