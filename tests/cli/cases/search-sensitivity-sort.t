reckon search -m gpt3-13b -s a100-sxm4-80g -g 8 -b 64 --sort hbm --top 1 --sensitivity -q | sed -n '/^rank/,/^ *1 /p; /^Sensitivity of the first/,$p'
=== stdout
rank     step  tokens/s/GPU    MFU  memory  offloaded  fits in  optimizer-offload
            s                    %     GiB        GiB        %
   1  24.7334        662.42  17.00    11.3       18.6      100                yes
Sensitivity of the first plan, held fixed: relative change of its time per relative change of the parameter
what                                  now          sensitivity  best time with 10 % more  with 10 % less
matrix engine: peak                   312 TFLOP/s  -0.400       23.84 s (-3.60 %)         25.82 s (+4.41 %)
network tier 0 (NVLink3): efficiency  0.766        -0.087       24.54 s (-0.79 %)         24.97 s (+0.96 %)
network tier 0 (NVLink3): bandwidth   300 GB/s     -0.069       24.58 s (-0.63 %)         24.92 s (+0.76 %)
matrix engine: efficiency             0.8          -0.035       24.73 s (-0.01 %)         24.9 s (+0.69 %)
attention: efficiency                 0.58         -0.022       24.68 s (-0.20 %)         24.79 s (+0.24 %)
memory tier 0 (HBM2e): bandwidth      2.039 TB/s   -0.013       24.7 s (-0.12 %)          24.77 s (+0.15 %)
memory tier 0 (HBM2e): efficiency     0.88         -0.013       24.7 s (-0.12 %)          24.77 s (+0.15 %)
network tier 0 (NVLink3): latency     9.300 us     +0.008       24.75 s (+0.08 %)         24.71 s (-0.08 %)
host: launch                          50 us        +0.000       24.73 s (+0.00 %)         24.73 s (-0.00 %)
memory tier 1 (mem2): bandwidth       25 GB/s      +0.000       24.73 s (+0.00 %)         24.73 s (+0.00 %)
memory tier 0 (HBM2e): capacity       79.20 GiB    +0.000       24.73 s (+0.00 %)         24.73 s (+0.00 %)
memory tier 1 (mem2): capacity        243.1 GiB    +0.000       24.73 s (+0.00 %)         24.73 s (+0.00 %)
network tier 1 (NIC): bandwidth       25 GB/s      +0.000       24.73 s (+0.00 %)         24.73 s (+0.00 %)
network tier 1 (NIC): efficiency      0.5          +0.000       24.73 s (+0.00 %)         24.73 s (+0.00 %)
network tier 1 (NIC): latency         20 us        +0.000       24.73 s (+0.00 %)         24.73 s (+0.00 %)
