reckon search --framework calculon -m gpt3-175b -s a100-80g-nvl8 -g 64 -b 96 --tensor 8 --pipeline 8 --top 1 --sensitivity -q
reckon search --framework calculon -m gpt3-175b -s a100-80g-nvl8 -g 64 -b 96 --tensor 8 --pipeline 8 --top 1 --sensitivity -q --format csv | sed -n '/^part/,$p'
=== stdout
Best plan fits: 14.71 s per step, MFU 71.9 %, memory 77.6 of 80.0 GiB
gpt3-175b on a100-80g-nvl8, 64 GPUs, batch up to 96 of 2K tokens, calculon, bf16, Calculon model
  65,664 plans, 22,284 feasible
  plan: tensor 8, pipeline 8, data 1, microbatch 1, tensor-overlap ring, precision bf16,
  recompute none, chunks 4, zero 0, activation-offload no, optimizer-offload no,
  weight-offload no, tensor-comm rs_ag, regather no, fused yes, tensor-network 0,
  pipeline-network 1, data-network 0

Best plan
rank     step  tokens/s/GPU    MFU  memory
            s                    %     GiB
   1  14.7090        208.85  71.90    77.6

To see where the time of the best plan goes:
  reckon predict -m gpt3-175b -s a100-80g-nvl8 -g 64 framework=calculon tp8 pp8 vpp4 gbs96 sp tp-overlap tp-net=0 pp-net=1 dp-net=0

Sensitivity of the best time: its relative change per relative change of the parameter
what                                     now          sensitivity  best time with 10 % more  with 10 % less
matrix engine: efficiency                0.95         -0.788       14.17 s (-3.70 %)         15.93 s (+8.33 %)
matrix engine: peak                      312 TFLOP/s  -0.753       13.72 s (-6.72 %)         15.93 s (+8.33 %)
memory tier 0 (HBM2e): efficiency        0.9          -0.162       14.49 s (-1.46 %)         14.97 s (+1.79 %)
memory tier 0 (HBM2e): bandwidth         2.048 TB/s   -0.162       14.49 s (-1.46 %)         14.97 s (+1.79 %)
network tier 0 (NVLink3): bandwidth      300 GB/s     -0.067       14.63 s (-0.57 %)         14.82 s (+0.76 %)
network tier 0 (NVLink3): efficiency     0.65         -0.067       14.63 s (-0.57 %)         14.82 s (+0.76 %)
memory tier 0 (HBM2e): capacity          80 GiB       -0.042       14.71 s (+0.00 %)         14.83 s (+0.84 %)
network tier 1 (InfiniBand): bandwidth   25 GB/s      -0.015       14.69 s (-0.14 %)         14.73 s (+0.17 %)
network tier 1 (InfiniBand): efficiency  0.9          -0.015       14.69 s (-0.14 %)         14.73 s (+0.17 %)
vector engine: efficiency                0.95         -0.014       14.7 s (-0.07 %)          14.73 s (+0.15 %)
vector engine: peak                      78 TFLOP/s   -0.013       14.69 s (-0.12 %)         14.73 s (+0.15 %)
network tier 0 (NVLink3): latency        10 us        +0.002       14.71 s (+0.02 %)         14.71 s (-0.02 %)
network tier 1 (InfiniBand): latency     20 us        +0.001       14.71 s (+0.01 %)         14.71 s (-0.01 %)
memory tier 1 (host): bandwidth          32 GB/s      +0.000       14.71 s (+0.00 %)         14.71 s (+0.00 %)
memory tier 1 (host): efficiency         0.95         +0.000       14.71 s (+0.00 %)         14.71 s (+0.00 %)
memory tier 1 (host): capacity           512 GiB      +0.000       14.71 s (+0.00 %)         14.71 s (+0.00 %)
part,tier,name,parameter,value,sensitivity,time_more_s,time_less_s
matrix,,,efficiency,0.95,-0.7881000185097944,14.165118813208823,15.934444321426316
matrix,,,peak_FLOPps,312000000000000,-0.7527001635137419,13.720156812555533,15.934444321426316
memory,0,HBM2e,efficiency,0.9,-0.16229925558166652,14.494108446815357,14.971559139340615
memory,0,HBM2e,bandwidth_Bps,2048000000000,-0.16229925558166536,14.49410844681536,14.971559139340615
network,0,NVLink3,bandwidth_Bps,300000000000,-0.066565311405909,14.625178471883387,14.820999789208646
network,0,NVLink3,efficiency,0.65,-0.066565311405909,14.625178471883387,14.820999789208646
memory,0,HBM2e,capacity_bytes,85899345920,-0.041797549167314194,14.708961258451724,14.831920964731776
network,1,InfiniBand,bandwidth_Bps,25000000000,-0.015016136239285167,14.689082799494148,14.733257152733204
network,1,InfiniBand,efficiency,0.9,-0.015016136239285167,14.689082799494148,14.733257152733204
vector,,,efficiency,0.95,-0.014088228688816455,14.699145422189325,14.730774227923726
vector,,,peak_FLOPps,78000000000000,-0.01348155855389062,14.691114283429181,14.730774227923726
network,0,NVLink3,latency_s,1e-05,0.002023587830370761,14.711937745951724,14.705984770951725
network,1,InfiniBand,latency_s,2e-05,0.0010632973821325762,14.710525258451725,14.707397258451724
memory,1,host,bandwidth_Bps,32000000000,0,14.708961258451724,14.708961258451724
memory,1,host,efficiency,0.95,0,14.708961258451724,14.708961258451724
memory,1,host,capacity_bytes,549755813888,0,14.708961258451724,14.708961258451724
