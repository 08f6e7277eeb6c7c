#!/bin/sh
# SIGINT ends a search with the best so far, marked as incomplete, and exit status 130. Six
# networks that hold anything make a space that takes much longer than the test waits.
set -u
[ -x "${RECKON:-}" ] || { echo "there is no executable"; exit 77; }
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM

network='"bandwidth_GBps": 100, "efficiency": 1, "latency_us": 1, "size": 100000000,
  "collectives": {"point_to_point": {"scale": 1}, "reduce_scatter": {"scale": 1},
  "all_gather": {"scale": 1}, "all_reduce": {"scale": 2}}, "source": "made up"'
engine='{"bfloat16": {"peak_TFLOPps": 100}, "efficiency_from_GFLOP": [[0, 1]], "source": "made up"}'
memory='"bandwidth_GBps": 3000, "efficiency_from_MB": [[0, 1]], "source": "made up"'
cat >"$work/system.json" <<JSON
{"processing": "roofline", "matrix": $engine, "vector": $engine,
 "memory": [{"name": "HBM", "capacity_GiB": "unlimited", $memory},
            {"name": "host", "capacity_GiB": "unlimited", $memory}],
 "network": [{"name": "a", $network}, {"name": "b", $network}, {"name": "c", $network},
             {"name": "d", $network}, {"name": "e", $network}, {"name": "f", $network}],
 "source": "made up"}
JSON
echo '{"layers": 720, "hidden": 92160, "feedforward": 368640, "heads": 720, "sequence": 5040,
       "source": "made up"}' >"$work/model.json"

# Background jobs of a shell without job control ignore SIGINT, so timeout sends it.
stop_after() # seconds, file, options
{
    seconds=$1 file=$2
    shift 2
    timeout --foreground -s INT "$seconds" "$RECKON" search --framework calculon --model "$work/model.json" \
        --system "$work/system.json" --gpus 3603600 --batch 36036000 --fused both \
        --exhaustive --top 3 "$@" >"$work/$file" 2>"$work/$file.err"
    status=$?
    # timeout itself answers 124 for a command that it had to stop
    [ $status -eq 124 ] || [ $status -eq 130 ] || {
        echo "exit status $status:"
        cat "$work/$file" "$work/$file.err"
        exit 1
    }
}
stop_after 1 text
grep -q INCOMPLETE "$work/text" || { echo "text is not marked:"; cat "$work/text"; exit 1; }
stop_after 1 several --model "$work/model.json"
grep -q 'INCOMPLETE.*[12] of 2 problems were begun' "$work/several" && grep -q ' of 2 problems have a plan' "$work/several" ||
    { echo "several problems are not all counted:"; cat "$work/several"; exit 1; }
stop_after 1 json --format json --quiet
grep -q '"complete": false' "$work/json" || { echo "JSON is not marked"; exit 1; }
grep -q interrupted "$work/json.err" || { echo "standard error says nothing"; exit 1; }

# answers of other long jobs are marked, too: a smaller size is not the largest that is affordable
for job in 'search --layerwise --batch 1024 --gpus 1024 --model llama3.1-405b' 'budget --days 60 --gpus 4096'; do
    for seconds in 0.2 0.4 0.8 1.6 3.2; do
        timeout --foreground --preserve-status -s INT $seconds "$RECKON" $job --system h100-sxm5-80g >"$work/job" 2>"$work/job.err"
        status=$?
        [ -s "$work/job" ] && break
    done
    [ $status -eq 130 ] && head -1 "$work/job" | grep -q '^INCOMPLETE, stopped by a signal: the .* fits: ' ||
        { echo "$job: exit status $status:"; head -3 "$work/job" "$work/job.err"; exit 1; }
done

# over several clusters nothing is known of what fits before the first plan
timeout --foreground --preserve-status -s INT 0.5 "$RECKON" search -m qwen3-235b-a22b -b 2048 --sequence 4096 \
    -s 'h200 x1024 + b200 x512 link=400Gb/s' >"$work/clusters" 2>"$work/clusters.err"
[ ! -s "$work/clusters" ] || grep -q 'INCOMPLETE.*\(before a plan was found\|the best plan so far fits\)' "$work/clusters" &&
    ! grep -q 'no plan' "$work/clusters" || { echo "a stop is taken for no plan:"; cat "$work/clusters"; exit 1; }

# the status that the program itself ends with
timeout --foreground --preserve-status -s INT 1 "$RECKON" search --framework calculon --model "$work/model.json" \
    --system "$work/system.json" --gpus 3603600 --batch 36036000 --fused both \
    --exhaustive --format csv >"$work/csv" 2>/dev/null
status=$?
[ $status -eq 130 ] || { echo "exit status $status instead of 130"; exit 1; }

# two signals at once are one: the answer is written, marked, and nothing stands beside it
mkdir "$work/twice"
(cd "$work/twice" && exec "$RECKON" search --framework calculon --model "$work/model.json" --system "$work/system.json" \
    --gpus 3603600 --batch 36036000 --fused both --exhaustive --top 3 -o twice.txt 2>../twice.err) &
pid=$!
sleep 1
kill -TERM $pid && kill -TERM $pid
wait $pid
status=$?
[ $status -eq 143 ] || { echo "exit status $status instead of 143 after two signals"; cat "$work/twice.err"; exit 1; }
grep -q INCOMPLETE "$work/twice/twice.txt" || { echo "two signals take the answer"; exit 1; }
[ "$(ls "$work/twice")" = twice.txt ] || { echo "left beside the answer: $(ls "$work/twice")"; exit 1; }
