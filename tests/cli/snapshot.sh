#!/bin/sh
# A memory snapshot is a pickle that Python reads, and its trace ends with the blocks that are there.
set -u
command -v python3 >/dev/null || exit 77
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
"$RECKON" place -m llama3.1-8b -s h100-sxm5-80g gpus8 tp8 sp gbs1 --lasting --snapshot "$work/s.pickle" >/dev/null || exit 1
python3 - "$work/s.pickle" <<'END'
import pickle, sys
snapshot = pickle.load(open(sys.argv[1], "rb"))
segment, live = snapshot["segments"][0], {}
for event in snapshot["device_traces"][0]:
    assert segment["address"] <= event["addr"]
    assert event["addr"] + event["size"] <= segment["address"] + segment["total_size"]
    if event["action"] == "alloc":
        live[event["addr"]] = event["size"]
    if event["action"] == "free_completed":
        assert live.pop(event["addr"]) == event["size"]
left = {b["address"]: b["size"] for b in segment["blocks"] if b["state"] == "active_allocated"}
assert left == live and left, "blocks at the end"
assert sum(b["size"] for b in segment["blocks"]) == segment["total_size"]
END
