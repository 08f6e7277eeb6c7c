reckon predct
reckon export slurm; echo "exit $?"
reckon export megatronn; echo "exit $?"
reckon --verison; echo "exit $?"
=== stdout
exit 2
exit 2
exit 2
=== stderr
reckon: "predct" is no command, did you mean predict?
reckon: "slurm" is no command: give megatron, deepspeed, torchtitan, accelerate, nanotron, bridge, axolotl, trl, torchtune, galvatron, fsdp, llama-factory or ranks
reckon: "megatronn" is no command, did you mean megatron?
reckon: "--verison" stands where a command does: give one before its flags, or --help, --version
