reckon export; reckon export nemo
=== stdout
=== stderr
reckon: export: say which: reckon export megatron, deepspeed, torchtitan, accelerate, nanotron, bridge, axolotl, trl, torchtune, galvatron, fsdp, llama-factory or ranks
reckon: "nemo" is no command: give megatron, deepspeed, torchtitan, accelerate, nanotron, bridge, axolotl, trl, torchtune, galvatron, fsdp, llama-factory or ranks
=== exit 2
