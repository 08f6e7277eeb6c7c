# A run goes on under the plans that events name, with all its state: in 64 bits the losses are those of one
# plan to the digits shown. A plan that cannot run is named, and changes nothing.
cp "$SOURCE/data/corpus/declaration/en.txt" en.txt
cp "$SOURCE/examples/train/tiny.json" tiny.json
cat >events <<END
{"step": 1, "event": "belief", "machine": {}}
{"step": 1, "event": "switch", "to": "tp2 pp2 gbs4 mbs1"}
no event
{"step": 2, "event": "switch", "to": "tp3 gbs4"}
{"step": 2, "event": "switch", "to": "tp2 gbs8"}
{"step": 3, "event": "forced", "to": "dp4 zero3 gbs4 mbs1 offload-optimizer=1"}
{"step": 4, "event": "switch", "to": "dp2 gbs4 mbs1 stages=2/tp2~2"}
{"step": 90, "event": "switch", "to": "dp1"}
END
train() { reckon train -q -m tiny.json -d en.txt gbs4 mbs1 seq16 -n 6 --double dp2 "$@" >table || cat table; }
train --log one
train --log many --switch events
cut -d, -f1-3 many
cut -d, -f1-3 one >a
cut -d, -f1-3 many | cmp - a && echo "the losses of one plan"
grep -c changed table
# the optimizer stays, without a word and by name
cat >muons <<END
{"step": 2, "event": "switch", "to": "tp2 pp2 zero1 gbs4 mbs1"}
{"step": 4, "event": "switch", "to": "dp2 gbs4 mbs1 optimizer=adam"}
END
train optimizer=muon --log one
train optimizer=muon --log many --switch muons
cut -d, -f1-3 one >a
cut -d, -f1-3 many | cmp - a && echo "the losses of one plan"
# the only step of the last plan is skipped: what it took is a number
echo '{"step": 5, "event": "switch", "to": "tp2 gbs4 mbs1 precision=fp16"}' >late
reckon train -q -m tiny.json -d en.txt gbs4 mbs1 seq16 -n 6 dp2 --loss-scale 1e30 --switch late >table
grep -c 'inf\|unlimited' table
grep -o "1 of 6 steps were skipped" table
train --switch nowhere
=== stdout
{"step": 1, "loss": 5.54583424111, "norm": 7.24030968977
{"step": 2, "loss": 5.3469685647, "norm": 5.756931087
{"step": 3, "loss": 5.14349192932, "norm": 5.68332850794
{"step": 4, "loss": 5.14353856706, "norm": 4.56563461905
{"step": 5, "loss": 4.99245929776, "norm": 4.73959443881
{"step": 6, "loss": 5.0187325723, "norm": 5.00478728302
the losses of one plan
1
the losses of one plan
0
1 of 6 steps were skipped
=== stderr
reckon: after step 1: tp2 pp2 gbs4 mbs1
reckon: warning: events:3: is not an event of reckon adapt, and is passed over
reckon: warning: events:4: tp3 gbs4: the plan cannot run: bad_tensor: heads: 4, needs 3; the run goes on as it is
reckon: warning: events:5: tp2 gbs8: a run keeps its batch and its sequence; the run goes on as it is
reckon: after step 3: dp4 zero3 gbs4 mbs1 offload-optimizer=1
reckon: after step 4: dp2 gbs4 mbs1 stages=2/tp2~2
reckon: after step 2: tp2 pp2 zero1 gbs4 mbs1
reckon: warning: muons:2: dp2 gbs4 mbs1 optimizer=adam: a run keeps its optimizer; the run goes on as it is
reckon: after step 5: tp2 gbs4 mbs1 precision=fp16
reckon: nowhere: cannot be read: No such file or directory
