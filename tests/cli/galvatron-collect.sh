#!/bin/sh
# Galvatron's profile files, put together, give the answer of the one file that they were taken from.
set -eu
command -v python3 >/dev/null || exit 77
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
python3 - "$RECKON_SOURCE/tests/golden/galvatron/profiles.json" <<'END'
import json, sys
whole = json.load(open(sys.argv[1]))
model, machine = whole["models"]["llama2-7b"], whole["hardware"]["shipped-1x8"]
parts = {n: model[n] for n in ("time", "memory")} | {n: machine[n] for n in ("allreduce", "p2p", "overlap", "sp")}
for name, part in parts.items():
    json.dump(part, open(name + ".json", "w"))
END
ask="layers=32 sequence=2048 memory_GB=20 batch=32 chunks=4 default_dp_type=zero2"
"$RECKON" galvatron collect -m llama2-7b --hidden 4096 --time-mode batch --time time.json --memory memory.json \
    -s node --allreduce allreduce.json --p2p p2p.json --overlap overlap.json --sp sp.json -o p.json
"$RECKON" galvatron search --profiles p.json $ask >ours
"$RECKON" galvatron search --profiles "$RECKON_SOURCE/tests/golden/galvatron/profiles.json" -m llama2-7b -s shipped-1x8 $ask >whole
diff whole ours

if "$RECKON" galvatron collect -m llama2-7b --hidden 4096 --time time.json -s node 2>message; then exit 1; fi
grep -q "give --memory FILE" message
