printf '{"tensor": 8, "pipelin": 4, "zero": 7, "batch": 512, "gpus": 128}' >p.json; reckon check p.json -m llama3.1-70b -s h100-sxm5-80g
printf '{"tensor": 8, "pipeline": 4,\n "zero": 1, "tensor": 4}' >p.json; reckon check p.json -m llama3.1-70b -s h100-sxm5-80g
printf '{"tensor": 8, "pipeline": 4, "batch": 510, "gpus": 128,\n "zero": 1, "split": [20, 20, 20, 10]}' >p.json; reckon check p.json -m llama3.1-70b -s h100-sxm5-80g --format json
# --plan as in other commands
printf '{"tensor": 8, "pipeline": 4, "batch": 512, "gpus": 128, "zero": 1}' >p.json
reckon check --plan p.json -m llama3.1-70b -s h100-sxm5-80g
reckon check --plan "tp8 pp4 gbs512 gpus128 zero1" -m llama3.1-70b -s h100-sxm5-80g
reckon check --plan p.json tp4 -m llama3.1-70b -s h100-sxm5-80g; echo "exit $?"
=== stdout
p.json:1:15: error 1.unknown: pipelin: is not known: did you mean pipeline?
p.json:1:37: error 1.value: zero: must be >= 0 and <= 3, got 7
llama3.1-70b on h100-sxm5-80g: 2 errors
p.json:2:13: error 1.twice: key given twice: remove one of the two
llama3.1-70b on h100-sxm5-80g: 1 error
{
  "command": "check",
  "errors": 2,
  "warnings": 0,
  "left_out": 0,
  "findings": [
    {
      "rule": "3.divide",
      "severity": "error",
      "file": "p.json",
      "line": 1,
      "column": 39,
      "what": "batch",
      "have": "510",
      "need": "no multiple of 4 copies * microbatch 1",
      "fix": "use 508 or 512"
    },
    {
      "rule": "6.layers",
      "severity": "error",
      "file": "p.json",
      "line": 2,
      "column": 22,
      "what": "split",
      "need": "70 of 80 blocks are on a stage",
      "fix": "deal out 80"
    }
  ]
}
p.json: note 5.stage: stage 0 80.6 GiB: unsure, P(fits) 26 %: 79 GiB are there: sp needs 43 GiB
llama3.1-70b on h100-sxm5-80g: 1 note
note 5.stage: stage 0 80.6 GiB: unsure, P(fits) 26 %: 79 GiB are there: sp needs 43 GiB
llama3.1-70b on h100-sxm5-80g: 1 note
exit 2
=== stderr
reckon: "p.json" looks like a file, and there is more: give one file, or words of a plan
