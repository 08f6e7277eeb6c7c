reckon models llama3.1-8b -f json > /dev/null
cat > model.json <<'X'
{"layers": 2, "hidden": 64, "heads": 4, "feedforward": 256, "sequence": 128}
X
echo '{"model_type": "llama", "hidden_size": 64}' > config.json
echo '{"tensor": 2, "pipeline": 2}' > plan.json
echo '{"memory": [], "network": []}' > system.json
echo '{"tensr": 2}' > slip.json
h="-s h100 -g 8"
reckon predict -m llama3.1-8b $h --plan model.json
reckon predict -m llama3.1-8b $h --plan config.json
reckon predict -m llama3.1-8b $h --plan slip.json
reckon predict -m plan.json $h
reckon predict -m system.json $h
reckon predict -m llama3.1-8b -s plan.json -g 8
reckon search -m llama3.1-8b $h -b 8 -q -f json > answer.json
reckon predict -m llama3.1-8b $h --plan answer.json
# ... also by keys that a short file has, and in place of a study.
echo '{"gpus": 8, "zero": 3, "batch": 32}' >short-plan.json
echo '{"models": ["llama3.1-8b"], "systems": ["h100-sxm5-80g"], "gpus": 8, "batch": 8}' >study.json
echo '{"tensor_par": 4, "pipeline_par": 2, "num_procs": 8}' >calculon.json
reckon predict -m short-plan.json -s h100 -g 8
reckon study short-plan.json
reckon predict -m llama3.1-8b -s h100 -g 8 --plan study.json
reckon predict -m llama3.1-8b -s h100 -g 8 --plan calculon.json
reckon shapes --parameters 70B
=== stdout
=== stderr
reckon: model.json:1:2: unknown key "layers": this looks like a model, a plan is wanted here
reckon: config.json:1:2: unknown key "model_type": this looks like a config.json of Hugging Face, a plan is wanted here
reckon: slip.json:1:2: unknown key "tensr"; did you mean "tensor"?
reckon: plan.json:1:2: unknown key "tensor": this looks like a plan, a model is wanted here
reckon: system.json:1:2: unknown key "memory": this looks like a system, a model is wanted here
reckon: plan.json:1:2: unknown key "tensor": this looks like a plan, a system is wanted here
reckon: answer.json:2:3: unknown key "command": this looks like the answer of a command, a plan is wanted here
reckon: short-plan.json:1:2: unknown key "gpus": this looks like a plan, a model is wanted here
reckon: short-plan.json:1:13: unknown key "zero": this looks like a plan, a study is wanted here
reckon: study.json:1:2: unknown key "models": this looks like a study, a plan is wanted here
reckon: calculon.json:1:2: unknown key "tensor_par": this looks like a strategy of the tool calculon, a plan is wanted here
reckon: "--parameters" is not known, did you mean --params? reckon shapes --help-all lists all flags
=== exit 2
