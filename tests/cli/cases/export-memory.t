# With a machine, export says whether the plan fits: on the edge, not at all, not even timed.
export_of() { reckon export deepspeed -m llama3.1-8b -s h100-sxm5-80g -o ds.json framework=deepspeed "$@"; echo "exit $?"; }
export_of gpus16 zero3 mbs2 gbs128 recompute=full
export_of gpus16 zero3 mbs8 gbs128 recompute=none
export_of gpus16 zero2 mbs2 gbs128
reckon export megatron -m llama3.1-70b -s h100-sxm5-80g -o run.sh dp16 tp4 gbs256 sp tp-overlap zero3 grad-overlap weight-overlap
reckon export megatron -m llama3.1-70b -s nothing -o run.sh tp8
=== stdout
exit 0
exit 0
exit 0
=== stderr
reckon: on h100-sxm5-80g: 9.903 s per step, 31.14 of 79.20 GiB
reckon: warning: gradient_overlap no: cannot be expressed in ds_config.json: the run has yes
reckon: warning: weight_overlap no: cannot be expressed in ds_config.json: the run has yes
reckon: warning: recompute full: is not decided by ds_config.json: see to it in the training code
reckon: on h100-sxm5-80g: 7.21 s per step, 354.01 of 79.20 GiB, does not fit
reckon: warning: gradient_overlap no: cannot be expressed in ds_config.json: the run has yes
reckon: warning: weight_overlap no: cannot be expressed in ds_config.json: the run has yes
reckon: on h100-sxm5-80g: 7.303 s per step, 108.49 of 79.20 GiB, does not fit
reckon: on h100-sxm5-80g: 29.05 s per step, 72.48 of 79.20 GiB, unsure: P(fits) 70 %
reckon: unknown system "nothing" ("reckon systems" lists them; a file's name ends in .json)
=== exit 2
