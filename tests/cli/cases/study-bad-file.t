# Files that are no study: where and why; no database is made.
try() { printf '%s' "$1" >s.json; reckon study s.json; echo $?; }
try ''
try '{"models": ["gpt"]'
try '{"model": ["gpt"]}'
try '{"models": []}'
try '{"models": ["no-such-model"], "systems": ["x"], "gpus": 8, "batch": 8}'
try '{"models": [{"base": "gpt3-175b", "layers": "96..8"}], "systems": ["h100-80g-nvl8"], "gpus": 8, "batch": 8}'
try '{"models": ["gpt3-175b"], "systems": ["h100-80g-nvl8 hbm=80"], "gpus": 8, "batch": 8}'
try '{"models": ["gpt3-175b"], "systems": [{"base": "h100-80g-nvl8", "hbm": []}], "gpus": 8, "batch": 8}'
try '{"models": ["gpt3-175b"], "systems": ["h100-80g-nvl8"], "gpus": "8..64 step 0", "batch": 8}'
try '{"models": ["gpt3-175b"], "systems": ["h100-80g-nvl8"], "gpus": 8, "batch": 0}'
try '{"models": ["gpt3-175b"], "systems": ["a100-80g-nvl8"], "gpus": 8, "batch": 8, "datatype": "float8"}'
try '{"models": ["gpt3-175b"], "systems": ["h100-80g-nvl8"], "gpus": 8, "batch": 8, "axes": {"tensors": 8}}'
try '{"models": ["gpt3-175b"], "systems": ["h100-80g-nvl8"], "gpus": 8, "batch": 8, "columns": ["speed"]}'
ls
=== stdout
3
3
3
3
3
3
3
3
3
3
3
3
3
s.json
=== stderr
reckon: s.json:1:1: is empty: expected a JSON object
reckon: s.json:1:19: the text ends in the middle of a value: is the file complete?
reckon: s.json:1:2: unknown key "model"; did you mean "models"?
reckon: s.json:1:12: models: must have at least 1 element, has 0
reckon: s.json:1:13: models[0]: unknown model "no-such-model" ("reckon models" lists them; a file's name ends in .json)
reckon: s.json:1:45: models[0].layers: the range runs backwards: put the smaller number first, got the string "96..8"
reckon: s.json:1:39: systems[0]: "h100-80g-nvl8 hbm=80":1:19: "80" has no unit: write a size such as "80GiB"
reckon: s.json:1:72: systems[0].hbm: must have at least 1 element, has 0
reckon: s.json:1:65: gpus: a step of 0 never arrives: give 1 or more, got the string "8..64 step 0"
reckon: s.json:1:77: batch: must be >= 1 and <= 4294967296, got 0
reckon: s.json:1:1: a100-80g-nvl8 does not have fp8-current on both engines: give another "precision"
reckon: s.json:1:89: axes: unknown key "tensors"; did you mean "tensor"?
reckon: s.json:1:92: columns[0]: no such column: speed
