reckon search --framework calculon -m gpt3-175b -s a100-80g-nvl8 --gpus 1 --batch 8 -q --save-plan best.json
code=$?
ls
exit $code
=== stdout
no plan can run: memory tier 0 (HBM2e) is too small
gpt3-175b on a100-80g-nvl8, 1 GPU, batch up to 8 of 2K tokens, calculon, bf16, Calculon model
  304 plans, 0 feasible

Plans by outcome
outcome          tier  where  plans  share
                                         %
fits                -  -          0   0.00
memory_exceeded     0  HBM2e    278  91.45  ######################
memory_exceeded     1  host      26   8.55  ##

Closest infeasible plans (one constraint each)
constraint             needs      has      lacks          step  plan
                                                             s
memory tier 0 (HBM2e)  2.230 TiB  80 GiB   2.152 TiB  209.7251  framework=calculon gbs8 sp regather recompute=selective offload-activations=1 offload-weights=1 tp-net=0 pp-net=0 dp-net=0
memory tier 0 (HBM2e)  2.230 TiB  80 GiB   2.152 TiB  210.9967  framework=calculon gbs8 recompute=selective offload-activations=1 offload-weights=1 tp-net=0 pp-net=0 dp-net=0
memory tier 0 (HBM2e)  2.234 TiB  80 GiB   2.156 TiB  195.7382  framework=calculon gbs8 recompute=full offload-weights=1 tp-net=0 pp-net=0 dp-net=0
memory tier 1 (host)   2.531 TiB  512 GiB  2.031 TiB  376.5795  framework=calculon mbs2 gbs8 recompute=full offload-optimizer=1 offload-weights=1 tp-net=0 pp-net=0 dp-net=0
memory tier 1 (host)   2.582 TiB  512 GiB  2.082 TiB  759.0438  framework=calculon gbs8 sp regather recompute=selective offload-activations=1 offload-optimizer=1 offload-weights=1 tp-net=0 pp-net=0 dp-net=0
memory tier 1 (host)   2.586 TiB  512 GiB  2.086 TiB  760.3153  framework=calculon gbs8 recompute=selective offload-activations=1 offload-optimizer=1 offload-weights=1 tp-net=0 pp-net=0 dp-net=0

Single changes that make a plan feasible
change                                                                    step  samples/s  plan
                                                                             s
2.152 TiB more of memory tier 0 (HBM2e): 2.230 TiB instead of 80 GiB  209.7251   0.038145  framework=calculon gbs8 sp regather recompute=selective offload-activations=1 offload-weights=1 tp-net=0 pp-net=0 dp-net=0
2.031 TiB more of memory tier 1 (host): 2.531 TiB instead of 512 GiB  376.5795   0.021244  framework=calculon mbs2 gbs8 recompute=full offload-optimizer=1 offload-weights=1 tp-net=0 pp-net=0 dp-net=0
a larger domain of network tier 0 (NVLink3): no size helps                   -          -  -
more GPUs: 6 instead of 1                                              48.4780    0.16502  framework=calculon tp2 pp3 vpp32 mbs4 gbs8 sp tp-overlap recompute=full offload-optimizer=1 offload-weights=1 tp-net=0 pp-net=1 dp-net=0
a smaller batch: none that was tried helps                                   -          -  -
a larger batch: none that was tried helps                                    -          -  -
=== exit 1
