reckon search --framework calculon -m gpt3-175b -s a100-80g-nvl8 -g 64 -b 96 --tensor 8 --pipeline 8 --microbatch 1,2 --tensor-overlap ring --pareto 'time, hbm, mem2' -q
=== stdout
Best plan fits: 14.71 s per step, MFU 71.9 %, memory 77.6 of 80.0 GiB
gpt3-175b on a100-80g-nvl8, 64 GPUs, batch up to 96 of 2K tokens, calculon, bf16, Calculon model
  3648 plans, 2322 feasible

Pareto frontier: no plan is better in everything than one of these
rank      step  tokens/s/GPU    MFU  memory  offloaded  microbatch  recompute  chunks  activation-offload  optimizer-offload  weight-offload  regather
             s                    %     GiB        GiB
   1   14.7090        208.85  71.90    77.6        0.0           1  none            4                  no                 no              no        no
   2   14.7378        208.44  71.76    75.4        0.0           1  none            6                  no                 no              no        no
   3   14.8628        206.69  71.12    42.4       17.2           2  core_attn       6                 yes                 no              no        no
   4   14.8628        206.69  71.12    58.8        0.0           2  core_attn       6                  no                 no              no        no
   5   15.0244        204.47  70.36    42.4       16.2           2  core_attn      12                 yes                 no              no        no
   6   15.0244        204.47  70.36    57.8        0.0           2  core_attn      12                  no                 no              no        no
   7   15.2492        201.45  69.35    41.7        9.1           1  core_attn       4                 yes                 no              no        no
   8   15.2492        201.45  69.35    50.4        0.0           1  core_attn       4                  no                 no              no        no
   9   15.2747        201.12  69.24    41.7        8.6           1  core_attn       6                 yes                 no              no        no
  10   15.2747        201.12  69.24    49.9        0.0           1  core_attn       6                  no                 no              no        no
  11   15.5304        197.81  68.10    41.7        8.1           1  core_attn      12                 yes                 no              no        no
  12   15.5304        197.81  68.10    49.3        0.0           1  core_attn      12                  no                 no              no        no
  13   15.8818        193.43  66.59    41.7        7.5           1  core_attn       1                 yes                 no              no        no
  14   15.8818        193.43  66.59    48.8        0.0           1  core_attn       1                  no                 no              no        no
  15   20.0967        152.86  52.62    46.7        0.0           1  full            6                  no                 no              no        no
  16   20.3234        151.16  52.04    46.4        0.0           1  full           12                  no                 no              no        no
  17   20.9932        146.33  50.38    46.1        0.0           1  full            1                  no                 no              no        no
  18   22.4090        137.09  47.17    38.2       21.2           2  core_attn      12                 yes                 no             yes       yes
  19   25.3658        121.11  41.67    38.2       20.2           2  core_attn       1                 yes                 no             yes       yes
  20   36.8868        83.282  28.67    42.2        5.1           1  full           12                  no                 no             yes        no
  21   39.3360        78.096  26.88    41.9        5.1           1  full            1                  no                 no             yes        no
  22   40.0050        76.790  26.44    37.4       13.1           1  core_attn      12                 yes                 no             yes       yes
  23   42.6614        72.009  24.79    37.4       12.6           1  core_attn       1                 yes                 no             yes       yes
  24   58.4387        52.568  18.09    22.3       35.4           2  full           12                  no                yes              no        no
  25   61.5757        49.890  17.17    12.8       51.6           2  core_attn      12                 yes                yes              no       yes
  26   65.8037        46.684  16.06    21.7       35.4           2  full            1                  no                yes              no        no
  27   69.3551        44.294  15.24    12.8       50.5           2  core_attn       1                 yes                yes              no       yes
  28   71.4063        43.021  14.80    18.1       40.5           2  full           12                  no                yes             yes        no
  29   74.5433        41.211  14.18     8.6       56.7           2  core_attn      12                 yes                yes             yes       yes
  30   80.8345        38.004  13.08    17.5       40.5           2  full            1                  no                yes             yes        no
  31   84.3858        36.404  12.53     8.6       55.6           2  core_attn       1                 yes                yes             yes       yes
  32  110.4402        27.816   9.58    16.9       35.4           1  full           12                  no                yes              no        no
  33  113.5584        27.052   9.31    12.1       43.5           1  core_attn      12                 yes                yes              no       yes
  34  117.4366        26.159   9.01    16.5       35.4           1  full            1                  no                yes              no        no
  35  120.7620        25.438   8.76    12.1       43.0           1  core_attn       1                 yes                yes              no       yes
  36  140.5296        21.860   7.53    12.6       40.5           1  full           12                  no                yes             yes        no
  37  143.6478        21.386   7.36     7.9       48.6           1  core_attn      12                 yes                yes             yes       yes
  38  149.8644        20.499   7.06    12.3       40.5           1  full            1                  no                yes             yes        no
  39  153.1898        20.054   6.90     7.9       48.1           1  core_attn       1                 yes                yes             yes       yes

To see where the time of the best plan goes:
  reckon predict -m gpt3-175b -s a100-80g-nvl8 -g 64 framework=calculon tp8 pp8 vpp4 gbs96 sp tp-overlap tp-net=0 pp-net=1 dp-net=0
