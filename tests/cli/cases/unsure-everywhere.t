# a plan that is unsure is so in the table of offload's rules and in the title of its reason; where all weights train by FSDP's offload, offload says so
reckon offload llama3.1-8b 'rtx-a6000 x4' recompute=full zero3 framework=fsdp | awk '/^By tensor/ { exit } /^fastest rule/ { print $5 } /^offload all|^MEMO|^as the plan says  / { print ($0 ~ /unsure: P/) ? "unsure" : "other" }'
reckon predict qwen3-32b 'rtx4090 x2' framework=fsdp dp2 gbs2 zero3 recompute=full lora16 lora-bytes=4 base=nf4-dq --verbose | sed -n 's/:.*//; 1p; /^Constraints/p; /^Predicted/p'
reckon predict llama3.1-8b 'rtx-a6000 x4' gbs4 --verbose | sed -n 's/:.*//; 1p; /^Constraints/p; /^Predicted/p'
reckon offload llama3.1-8b 'rtx-a6000 x4' | tr '\n' ' ' | tr -s ' ' | grep -o 'remedy: .*, fits:'
=== stdout
unsure:
unsure
unsure
unsure
unsure
Predicted above what there is, which is not sure
does not fit
Constraints violated
remedy: add framework=fsdp loss-in-chunks zero3 offload-optimizer=1 offload-weights=1: by rule MEMO, fits:
