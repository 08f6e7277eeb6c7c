reckon timeline -m gpt3-175b -s a100-80g-nvl8 --framework calculon --tensor 8 --pipeline 8 --data 16 --batch 1536 --recompute selective --zero 1 --trace trace.json --window 1s..1.5s --stages 2..3 | grep ^trace; head -n 2 trace.json
=== stdout
trace: trace.json, from 1 s to 1.5 s
{"displayTimeUnit":"ms",
"otherData":{"producer":"reckon 0.2.0","model":"gpt3-175b","system":"a100-80g-nvl8","schedule":"1f1b","messages":"charged","stages":8,"chunks":1,"microbatches":96,"step_s":21.015860317705165,"estimate_step_s":21.015860317705155,"window_from_s":1,"window_to_s":1.5,"complete":false},
