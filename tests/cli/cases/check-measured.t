reckon check --measured own; echo $?
=== stdout
nemo25_005: 5.stage: stage 0 299.8 GiB: does not fit, P(fits) 1 %: 184 GiB are there
bridge_017: 5.stage: stage 0 507.9 GiB: does not fit, P(fits) 0 %: 276 GiB are there
bridge_260: 5.stage: stage 0 299.8 GiB: does not fit, P(fits) 1 %: 184 GiB are there
bridge_263: 2.expert: expert 64: pipeline 8 * expert 64 * expert tensor 1 = 512 does not divide 256 ranks
automodel_002: 5.stage: stage 0 140.5 GiB: does not fit, P(fits) 0 %: 79 GiB are there
automodel_003: 5.stage: stage 0 451.6 GiB: does not fit, P(fits) 0 %: 79 GiB are there
primus_003: 12.excludes: chunks: 2 virtual stages of a rank: only 1f1b and gpipe can have more than 1
amdproj_003: 5.stage: stage 0 759.1 GiB: does not fit, P(fits) 0 %: 256 GiB are there
amdproj_006: 5.stage: stage 0 523.2 GiB: does not fit, P(fits) 0 %: 288 GiB are there
mindspeed_035: 12.needs: tensor_overlap: needs sequence parallelism
mindspeed_036: 12.needs: tensor_overlap: needs sequence parallelism
mindspeed_037: 12.needs: tensor_overlap: needs sequence parallelism
mindspeed_044: 12.needs: tensor_overlap: needs sequence parallelism
mindspeed_045: 12.needs: tensor_overlap: needs sequence parallelism
mindspeed_046: 12.needs: tensor_overlap: needs sequence parallelism
mindspeed_047: 12.needs: tensor_overlap: needs sequence parallelism
mindspeed_048: 12.needs: tensor_overlap: needs sequence parallelism
mindspeed_053: 5.stage: stage 0 113.2 GiB: does not fit, P(fits) 0 %: 61 GiB are there
mindspeed_055: 12.needs: tensor_overlap: needs sequence parallelism
ttune_001: 5.states: stage 0 28.9 GiB: 24 GiB are there for weights, gradients and optimizer
ttune_004: 12.needs: optimizer_offload: optimizer and weights are offloaded together
lambda405_001: 12.needs: optimizer_offload: optimizer and weights are offloaded together
titanq_001: 12.excludes: recompute_layers: layers of their own decide themselves what is recomputed
titanq_004: 12.excludes: recompute_layers: layers of their own decide themselves what is recomputed
titanh2_002: 5.stage: stage 0 239.8 GiB: does not fit, P(fits) 0 %: 140 GiB are there
titanh2_003: 5.stage: stage 0 378.3 GiB: does not fit, P(fits) 0 %: 140 GiB are there
titanh2_004: 5.stage: stage 0 336.4 GiB: does not fit, P(fits) 0 %: 140 GiB are there
titanh2_005: 5.stage: stage 0 336.4 GiB: does not fit, P(fits) 0 %: 140 GiB are there
tprime_006: 5.states: stage 0 41.7 GiB: 31 GiB are there for weights, gradients and optimizer
llmq_014: 5.states: stage 0 85.1 GiB: 79 GiB are there for weights, gradients and optimizer
2558 runs, 30 of them with errors, 47 not judged: no model or plan describes them
1
