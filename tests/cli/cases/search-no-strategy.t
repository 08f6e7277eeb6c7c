reckon search --framework calculon -m gpt3-175b -s a100-80g-nvl8 --gpus 64 --batch 8 -q --tensor 7
=== stdout
no plan can run: ranks, batch and restrictions leave no plan
gpt3-175b on a100-80g-nvl8, 64 GPUs, batch up to 8 of 2K tokens, calculon, bf16, Calculon model
  0 plans, 0 feasible

Plans by outcome
outcome  plans  share
                    %
fits         0   0.00


No plan violates only one constraint.

Single changes that make a plan feasible
change                                                        step  samples/s  plan
                                                                 s
more of memory tier 0 (HBM2e): no amount helps                   -          -  -
more of memory tier 1 (host): no amount helps                    -          -  -
a larger domain of network tier 0 (NVLink3): no size helps       -          -  -
without --tensor: tensor 8                                  1.3524     5.9155  framework=calculon tp8 pp8 vpp12 gbs8 sp tp-overlap tp-net=0 pp-net=1 dp-net=0
fewer GPUs: none that was tried helps                            -          -  -
more GPUs: none that was tried helps                             -          -  -
a smaller batch: none that was tried helps                       -          -  -
a larger batch: none that was tried helps                        -          -  -
=== exit 1
