#!/bin/sh
# A search that is stopped at random moments, again and again, by SIGKILL, SIGTERM and SIGINT, goes
# on from its state and ends with the bytes of one that was never stopped. STOPS and SEED may be set.
set -u
[ -x "${RECKON:-}" ] || { echo "there is no executable"; exit 77; }
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM
cd "$work" || exit 1
stops=${STOPS:-12}
seed=${SEED:-$(date +%s)}
echo "seed $seed"

# Four networks and two memories that hold anything: hundreds of millions of strategies and more.
network='"bandwidth_GBps": 100, "efficiency": 1, "latency_us": 1, "size": 100000000,
  "collectives": {"point_to_point": {"scale": 1}, "reduce_scatter": {"scale": 1},
  "all_gather": {"scale": 1}, "all_reduce": {"scale": 2}}, "source": "made up"'
engine='{"bfloat16": {"peak_TFLOPps": 100}, "efficiency_from_GFLOP": [[0, 1]], "source": "made up"}'
memory='"bandwidth_GBps": 3000, "efficiency_from_MB": [[0, 1]], "source": "made up"'
cat >system.json <<JSON
{"processing": "roofline", "matrix": $engine, "vector": $engine,
 "memory": [{"name": "HBM", "capacity_GiB": "unlimited", $memory},
            {"name": "host", "capacity_GiB": "unlimited", $memory}],
 "network": [{"name": "a", $network}, {"name": "b", $network}, {"name": "c", $network},
             {"name": "d", $network}],
 "source": "made up"}
JSON
echo '{"layers": 720, "hidden": 92160, "feedforward": 368640, "heads": 720, "sequence": 5040,
       "source": "made up"}' >model.json

fail() { echo "$*"; exit 1; }

now() { date +%s.%N; }

search() # options
{
    "$RECKON" search --framework calculon --model model.json --system system.json --gpus "$gpus" --batch 50400 \
        --fused both --exhaustive --top 2000 --format csv --quiet "$@"
}
measure() # sets expected and seconds
{
    start=$(now)
    search >expected || fail "the search fails"
    seconds=$(echo "$start $(now)" | awk '{ print $2 - $1 }')
    [ "$(wc -l <expected)" -eq 2001 ] || fail "not 2000 strategies: $(wc -l <expected)"
}

# A moment, up to a third of the time, and a signal.
moment() # number
{
    awk -v seed="$seed" -v n="$1" -v t="$seconds" 'BEGIN {
        srand(seed + 1000 * n); split("KILL KILL TERM INT", signal, " ")
        printf "%.3f %s\n", 0.02 + rand() * t / 3, signal[1 + int(4 * rand())] }'
}

stop_often() # sets resumed and stopped
{
    resumed=0 stopped=0
    while [ $stopped -lt "$stops" ]; do
        # shellcheck disable=SC2046
        set -- $(moment $stopped)
        [ ! -e state ] || resumed=$((resumed + 1))
        timeout --foreground --preserve-status -s "$2" "$1" "$RECKON" search --framework calculon --model model.json \
            --system system.json --gpus "$gpus" --batch 50400 --fused both --exhaustive \
            --top 2000 --format csv --state state --quiet >actual 2>err
        status=$?
        stopped=$((stopped + 1))
        case $status in
            0) # it was faster than the signal: then it must be right, and starts anew
                cmp expected actual || fail "stop $stopped: the answer differs"
                [ ! -e state ] || fail "the state of a finished search is left" ;;
            130 | 143)
                [ "$2" = KILL ] && fail "SIGKILL ended with $status"
                # the signal can come before the search listens for it, or when all is found and being
                # printed: then what there is of the output is the beginning of the right one
                grep -q incomplete err || head -c "$(wc -c <actual)" expected | cmp - actual ||
                    fail "not said to be incomplete: $(cat err)" ;;
            137) [ "$2" = KILL ] || fail "exit status $status after SIG$2" ;;
            *) fail "exit status $status after SIG$2: $(cat err)" ;;
        esac
    done
}

# The smallest problem that takes 0.4 s or more here, and that stops find at work: what else runs
# at the same time can make the measured time a long one.
resumed=0
for gpus in 16 60 240 720 5040 25200 151200 3603600; do
    measure
    echo "$seconds" | awk '{ exit !($1 >= 0.4) }' || continue
    rm -f state
    stop_often
    echo "$gpus GPUs: $seconds s, $stopped stops, $resumed of them of a search that went on from a state"
    [ "$resumed" -eq 0 ] || break
done
[ "$resumed" -gt 0 ] || fail "nothing was ever resumed"

search --state state >actual || fail "the search fails at last"
cmp expected actual || fail "the answer differs from that of an uninterrupted search"
[ -z "$(ls | grep -E '^state')" ] || fail "left behind: $(ls)"

# A state that is not its own, damaged, or no state at all is refused, and stays as it is.
gpus_other=$((gpus / 2))
for share in 0.8 0.6 0.4 0.3 0.2 0.15 0.1 0.07 0.05 0.5 0.7; do
    timeout -s KILL "$(echo "$seconds" | awk -v s=$share '{ print s * $1 }')" "$RECKON" search --framework calculon \
        --model model.json --system system.json --gpus "$gpus" --batch 50400 \
        --fused both --exhaustive --top 2000 --format csv --state state --quiet \
        >/dev/null 2>&1
    [ ! -e state ] || break
done
[ -e state ] || fail "no state was left to damage"
cp state copy
"$RECKON" search --framework calculon --model model.json --system system.json --gpus $gpus_other --batch 50400 \
    --fused both --exhaustive --top 2000 --state state >/dev/null 2>err
[ $? -eq 3 ] || fail "the state of another search: $(cat err)"
grep -q '^reckon: state: state of another search' err || fail "message: $(cat err)"
cmp state copy || fail "the state of another search was changed"
printf x | dd of=state bs=1 seek=200 conv=notrunc 2>/dev/null
search --state state >/dev/null 2>err && fail "a damaged state was taken"
head -c 100 copy >state
search --state state >/dev/null 2>err && fail "a state cut short was taken"
grep -q '^reckon: state: this is not a whole state' err || fail "message: $(cat err)"
exit 0
