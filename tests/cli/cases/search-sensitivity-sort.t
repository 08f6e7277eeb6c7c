reckon search -m gpt3-13b -s a100-sxm4-80g -g 8 -b 64 --sort hbm --top 1 --sensitivity -q | sed -n '/^rank/,/^ *1 /p; /^Sensitivity of the first/,$p'
=== stdout
rank     step  tokens/s/GPU    MFU  memory  fits in
            s                    %     GiB        %
   1  10.8785        1506.1  38.66    30.0      100
Sensitivity of the first plan, held fixed: relative change of its time per relative change of the parameter
what                                  now          sensitivity  best time with 10 % more  with 10 % less
matrix engine: peak                   312 TFLOP/s  -0.911       9.987 s (-8.19 %)         11.97 s (+10.02 %)
matrix engine: efficiency             0.8          -0.080       10.87 s (-0.03 %)         11.05 s (+1.57 %)
attention: efficiency                 0.58         -0.050       10.83 s (-0.45 %)         10.94 s (+0.55 %)
network tier 0 (NVLink3): efficiency  0.766        -0.050       10.83 s (-0.45 %)         10.94 s (+0.55 %)
network tier 0 (NVLink3): bandwidth   300 GB/s     -0.040       10.84 s (-0.36 %)         10.93 s (+0.44 %)
memory tier 0 (HBM2e): bandwidth      2.039 TB/s   -0.034       10.84 s (-0.31 %)         10.92 s (+0.38 %)
memory tier 0 (HBM2e): efficiency     0.88         -0.034       10.84 s (-0.31 %)         10.92 s (+0.38 %)
network tier 0 (NVLink3): latency     9.300 us     +0.005       10.88 s (+0.05 %)         10.87 s (-0.05 %)
host: launch                          50 us        +0.000       10.88 s (+0.00 %)         10.88 s (-0.00 %)
memory tier 0 (HBM2e): capacity       79.20 GiB    +0.000       10.88 s (+0.00 %)         10.88 s (+0.00 %)
network tier 1 (NIC): bandwidth       25 GB/s      +0.000       10.88 s (+0.00 %)         10.88 s (+0.00 %)
network tier 1 (NIC): efficiency      0.5          +0.000       10.88 s (+0.00 %)         10.88 s (+0.00 %)
network tier 1 (NIC): latency         20 us        +0.000       10.88 s (+0.00 %)         10.88 s (+0.00 %)
