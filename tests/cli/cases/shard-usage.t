reckon shard; echo $?
reckon shard -m llama3.1-8b; echo $?
reckon shard -m llama3.1-8b tp2; echo $?
reckon shard -m llama3.1-8b tp2 -o out; echo $?; ls out 2>/dev/null
reckon shard -m llama3.1-8b tp5 --dry-run; echo $?
reckon shard -m llama3.1-8b pp64 --dry-run; echo $?
reckon shard -m llama3.1-8b pp2 split=16,8,8 --dry-run; echo $?
reckon shard -m llama3.1-8b pp2 split=16,8 --dry-run; echo $?
reckon shard -m llama3.1-8b ep2 dp2 --dry-run; echo $?
reckon shard -m mixtral-8x7b ep3 dp3 --dry-run; echo $?
reckon shard -m llama3.1-8b tp2 --rank 2 --dry-run; echo $?
reckon shard nothing tp2 --dry-run; echo $?
reckon merge nothing; echo $?
reckon merge nothing -o out --max-shard 3X; echo $?
reckon reshard nothing -o out; echo $?
reckon reshard nothing tp2 -o out; echo $?
reckon shard -m llama3.1-8b dp8 --zero fsdp --dry-run; echo $?
=== stdout
2
2
2
2
3
3
2
3
3
3
2
3
2
2
2
3
2
=== stderr
reckon: a plan is missing: words such as tp8 pp2, or --plan
reckon: a plan is missing: words such as tp8 pp2, or --plan
reckon: -o DIR is missing: where to? --dry-run and --explain write nothing
reckon: a model of the catalog has no weights to write: name a checkpoint
reckon: model.layers.0.mlp.down_proj.weight: 14336 columns are not divisible by tensor parallelism 5: take a degree that divides them
reckon: pipeline 64: 32 layers for 64 stages: one has none: use 32
reckon: "pp2 split=16,8,8":1:5: split 3 entries: pipeline 2 * chunks 1 needs one for each virtual stage: give 2
reckon: the stages of the plan have 24 of 32 layers: give first-layers and last-layers so that the rest divides
reckon: expert 2: expert parallelism of a model without experts: leave ep out
reckon: model.layers.0.mlp.experts.0.down_proj.weight: 8 experts are not divisible by expert parallelism 3
reckon: --rank 2: the plan has ranks 0 to 1
reckon: ./nothing: cannot open: No such file or directory; check the path
reckon: -o DIR is missing: where to?
reckon: --max-shard: "3X" is not a size: write a size such as "80GiB"
reckon: a plan is missing: words such as tp8 pp2, or --plan
reckon: nothing/reckon.index.json: cannot open: No such file or directory; check the path
reckon: --zero cuts what the plan's ZeRO shards, and the plan has zero0: add zero1, zero2 or zero3
