reckon search --framework calculon -m gpt3-175b -s a100-80g-nvl8 -g 64 -b 96 --where 'hbm <= 20GiB and tensor <= 8 and not recompute == full' --top 3 -q
=== stdout
Best plan fits: 13.48 s per step, MFU 78.4 %, memory 12.7 of 80.0 GiB
gpt3-175b on a100-80g-nvl8, 64 GPUs, batch up to 96 of 2K tokens, calculon, bf16, Calculon model
  5,132,128 plans, 1,093,606 feasible, 129,806 of them satisfy hbm <= 20GiB and tensor <= 8 and not recompute == full

Best plans
rank     step  tokens/s/GPU    MFU  memory  offloaded  tensor  data  microbatch  activation-offload  optimizer-offload  weight-offload  regather
            s                    %     GiB        GiB
   1  13.4778        227.93  78.40    12.7      207.0       4    16           6                 yes                yes             yes        no
   2  13.4780        227.93  78.40    12.7      207.0       4    16           6                 yes                yes             yes       yes
   3  13.7297        223.75  76.96    11.0      166.5       8     8          12                 yes                yes             yes        no

  the network matters: 25 GB/s per GPU between nodes is assumed; with a quarter of it the step takes 36.67 s (-s "a100-80g-nvl8 net1=50Gb/s" is that quarter, reckon calibrate --nccl a measured rate)
To see where the time of the best plan goes:
  reckon predict -m gpt3-175b -s a100-80g-nvl8 -g 64 framework=calculon dp16 tp4 mbs6 gbs96 sp tp-overlap zero1 grad-overlap recompute=selective offload-activations=1 offload-optimizer=1 offload-weights=1 tp-net=0 pp-net=0 dp-net=1
