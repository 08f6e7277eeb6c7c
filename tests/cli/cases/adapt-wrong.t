try() { printf '%s\n' "$1" | reckon adapt -m llama3.1-8b -s h100-sxm5-80g -g 8 zero1; echo "exit $?"; }
try '{"step": 1}'
try '{"step": 1, "step_s": 2, "tensors_s": 1}'
try '{"step": 1, "step_s": -2}'
try '{"step": 1, "step_s": 2
'
try ''
printf '{"step": 1, "step_s": 3}\nnothing\n' | reckon adapt -m llama3.1-8b -s h100-sxm5-80g -g 8 zero1 | sed 's/, "machine.*//'
reckon adapt -m llama3.1-8b -s h100-sxm5-80g -g 8 zero1 -r none.jsonl; echo "exit $?"
echo '{"step": 1, "step_s": 2, "gpus": 0}' | reckon adapt -m llama3.1-405b -s h100-sxm5-80g -g 8 tp8 | sed 's/, "machine.*//'; echo "exit $?"
mkdir d; reckon adapt -m llama3.1-8b -s h100-sxm5-80g -g 8 zero1 -r d; echo "exit $?"
=== stdout
exit 3
exit 3
exit 3
exit 3
exit 0
{"step": 1, "event": "forced"
exit 3
{"step": 1, "event": "stranded"
exit 0
exit 4
=== stderr
reckon: -:1:1: step_s is missing: how long it took, 0 if it did not run
reckon: -:1:26: unknown key "tensors_s"; did you mean "tensor_s"?
reckon: -:1:23: step_s: must be >= 0 and <= 1000000, got -2
reckon: -:1:1: the text ends in the middle of a value: is the file complete?
0 records, 0 switches, 0 forced
reckon: -:2:1: not JSON: invalid token near 'nothing'
reckon: none.jsonl: cannot be read: No such file or directory
1 records, 0 switches, 0 forced
reckon: d: cannot be read: Is a directory
