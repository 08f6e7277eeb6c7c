reckon predct
reckon export slurm; echo "exit $?"
reckon export megatronn; echo "exit $?"
reckon --verison; echo "exit $?"
=== stdout
exit 2
exit 2
exit 2
=== stderr
reckon: unknown command "predct": did you mean "predict"?
reckon: unknown command "slurm": give megatron, deepspeed, torchtitan, accelerate, nanotron, bridge, axolotl, trl, torchtune, galvatron, fsdp, llama-factory or ranks
reckon: unknown command "megatronn": did you mean "megatron"?
reckon: "--verison" stands where a command does: give one before its flags, or --help, --version
