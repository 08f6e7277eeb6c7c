reckon systems a100-80g-nvl8
reckon systems "h100-80g x4096 nvl8 hbm=120GiB mem2=1TiB@100GB/s" -f json
=== stdout
a100-80g-nvl8: NVIDIA A100 80 GB (SXM4), eight on NVSwitch
  in one line: a100-80g-selene

System
id          a100-80g-nvl8
processing  no_overlap        an operation takes its FLOP time and its memory time, or the longer

Engines, best case
datatype     matrix peak  achieved    vector peak  achieved
                                 %                        %
float16   312.00 TFLOP/s      95.0  78.00 TFLOP/s      95.0
bfloat16  312.00 TFLOP/s      95.0  78.00 TFLOP/s      95.0

Memory of a device
tier  name    capacity   bandwidth  achieved
                                           %
   0  HBM2e   80.0 GiB   2.05 TB/s      90.0
   1  host   512.0 GiB  32.00 GB/s      95.0

Networks, per device; what each of p ranks moves of n bytes, over n
tier  name          size   bandwidth  achieved   latency  must be filled  costs of engine  reduce scatter  all gather   all reduce  point to point
                                             %                                          %
   0  NVLink3          8  300.0 GB/s      65.0  10.00 us             yes             15.0  1.5 - 1.5/p     1.5 - 1.5/p  2 - 2/p     1
   1  InfiniBand  65,536   25.0 GB/s      90.0  20.00 us              no              2.0  1               1            1           1

Efficiencies
of               achieved, by the size of the work
matrix float16   0.95 from 128 GFLOP, 0.9 from 16 GFLOP, 0.6 from 1 GFLOP, 0.1 below
vector float16   0.95 from 16 GFLOP, 0.5 from 1 GFLOP, 0.1 below
matrix bfloat16  0.95 from 128 GFLOP, 0.9 from 16 GFLOP, 0.6 from 1 GFLOP, 0.1 below
vector bfloat16  0.95 from 16 GFLOP, 0.5 from 1 GFLOP, 0.1 below
memory 0         0.9 from 95.37 MiB, 0.75 from 9.537 MiB, 0.6 from 976.6 KiB, 0.3 below
memory 1         0.95 from 95.37 MiB, 0.9 from 9.537 MiB, 0.7 from 976.6 KiB, 0.3 below

Kernels, for predictions
host accelerators          0                 accelerators of a host, which fail and are spared together; 0: those of the innermost network
multiprocessors            108               units that run tiles of a matrix product at the same time
tile m                     128               rows of the largest tile
tile n                     256               columns of the largest tile
float4 TFLOPps             0                 dense peak of 4-bit operands; 0: none
int8 TFLOPps               0                 dense peak of 8-bit integers; 0: none
tfloat32 TFLOPps           156               dense peak of float32 operands rounded to TF32; 0: none
matrix efficiency          0.8               share of the peak of a large product under sustained power
narrow efficiency          0.7               matrix_efficiency of 8-bit operands
float4 efficiency          0.6               matrix_efficiency of 4-bit operands
tile efficiency            0.93              share of a multiprocessor's peak in one tile at full clocks
narrow tile efficiency     0.75              tile_efficiency of 8-bit and 4-bit operands
tile loss                  60                how smaller tiles are slower: 1 + loss * (1/m + 1/n) over that of the largest
matrix k half              240               length k at which half of a tile's time is start and end
weights GBps               0                 rate at which a product reads its weights, or adds to their gradients, before it computes; 0: it does both at once
attention forward          0.58              share of the peak, FlashAttention-2, head dimension 128, long sequences
attention backward         0.51              attention_forward in backward
newest attention forward   0.58              attention_forward of FlashAttention-3 and cuDNN
newest attention backward  0.51              newest_attention_forward in backward
attention dim half         29                head dimension at which exponentials take as long as products
attention key half         150               keys at which half of a tile's time is start and end
memory efficiency          0.88              share of the bandwidth of memory 0, large kernels
additions GFLOPps          32                16-bit elements that kernels add in memory one by one, with atomic operations; 0: as fast as memory is
kernel us                  2                 start and end of a kernel on the device
launch us                  50                of the host to start one kernel
sustained                  0.88              rate of matrix products in a long run over that of an isolated kernel: clocks under the power limit, caches, jitter
power W                    400               power limit of the board; 0: that under which sustained was found
sustained power W          400               power limit under which sustained was found; the rate goes with the cube root of power
reserve GiB                1.5               context and libraries on the device
workspace MiB              8.12              workspace of a handle of cuBLAS or its like, which the framework allocates
engine workspace MiB       4                 workspace of Transformer Engine, in the framework's allocator
fragmentation              0.06              share of the activations that the allocator loses
attention kernels          flash flash1      kernels of attention that there are for the device; left out: any
dispatchers                alltoall allgather deepep  ways of tokens to experts that there are for it; left out: any
frameworks                 any               frameworks that run on it, or stand for what does; left out: any
platforms                  any               whose libraries there are for it; left out: any

Links, for predictions
network  efficiency  base us  hop us  ramp MB  in network  mesh to  mesh  copied
      0       0.766      9.3    0.59      7.4           0        0    no      no
      1       0.930     20.0    8.00      2.0           0        0    no      no

Sources
of               source
all              another name of a100-80g-selene
matrix           systems/a100_80g.json of the tool of [isaev2023]; bfloat16 as float16, as in the datasheet [nvidia2020a100]
vector           systems/a100_80g.json of the tool of [isaev2023]; bfloat16 taken as float16
memory[0]        systems/a100_80g.json of the tool of [isaev2023]
memory[1]        systems/a100_80g.json of the tool of [isaev2023]
network[0].link  fitted, and rounded, to 84 collectives of 64 KiB to 512 MiB on 2 to 8 A100 in [aiconfigurator2026]; on 84 others the median error is 6.2 %, 90 % are within 19 %
network[0]       systems/a100_80g.json of the tool of [isaev2023]
network[1].link  efficiency: all-reduce of 16 GiB over 4 nodes reaches 382 of 400 GB/s a node in [bekman2026], a little less taken for fabrics that are shared; hop between what NCCL's tuner has for its protocols LL128 and Simple on networks, 4 and 14 us; base and ramp: sends between two H100 nodes take 17 us for 2 KB, 0.31 ms for 10.8 MB and 1.87 ms for 67.1 MB in [agrawal2024], where 4 MB take 80 us: that time at this rate
network[1]       systems/a100_80g.json of the tool of [isaev2023]
kernels          of a100-sxm4-80g: the same chip
all              systems/a100_80g.json of the tool of [isaev2023], commit caa4b11
{
  "entry": {
    "name": null,
    "description": null,
    "synthetic": "h100-80g x4096 nvl8 hbm=120GiB mem2=1TiB@100GB/s"
  },
  "system": {
    "id": "h100-80g x4096 nvl8 hbm=120GiB mem2=1TiB@100GB/s",
    "devices": 4096,
    "processing": "no_overlap",
    "engines": [
      {
        "datatype": "float8",
        "matrix_FLOPps": 2e+15,
        "matrix_efficiency": 0.95,
        "vector_FLOPps": 120000000000000,
        "vector_efficiency": 0.95
      },
      {
        "datatype": "float16",
        "matrix_FLOPps": 1e+15,
        "matrix_efficiency": 0.95,
        "vector_FLOPps": 120000000000000,
        "vector_efficiency": 0.95
      },
      {
        "datatype": "bfloat16",
        "matrix_FLOPps": 1e+15,
        "matrix_efficiency": 0.95,
        "vector_FLOPps": 120000000000000,
        "vector_efficiency": 0.95
      }
    ],
    "memories": [
      {
        "tier": 0,
        "name": "HBM3",
        "capacity_bytes": 128849018880,
        "bandwidth_Bps": 3072000000000,
        "efficiency": 0.9
      },
      {
        "tier": 1,
        "name": "host",
        "capacity_bytes": 1099511627776,
        "bandwidth_Bps": 100000000000,
        "efficiency": 0.95
      }
    ],
    "networks": [
      {
        "tier": 0,
        "name": "NVLink4",
        "size": 8,
        "bandwidth_Bps": 450000000000,
        "efficiency": 0.65,
        "latency_s": 1e-05,
        "must_be_filled": true,
        "processor_usage": 0.15,
        "reduce_scatter": "1",
        "all_gather": "1",
        "all_reduce": "1 + 1/p",
        "point_to_point": "1"
      },
      {
        "tier": 1,
        "name": "InfiniBand",
        "size": 65536,
        "bandwidth_Bps": 50000000000,
        "efficiency": 0.9,
        "latency_s": 2e-05,
        "must_be_filled": false,
        "processor_usage": 0.02,
        "reduce_scatter": "1",
        "all_gather": "1",
        "all_reduce": "1",
        "point_to_point": "1"
      }
    ],
    "efficiencies": [
      {
        "of": "matrix float8",
        "achieved": "0.95 from 128 GFLOP, 0.9 from 16 GFLOP, 0.6 from 1 GFLOP, 0.1 below"
      },
      {
        "of": "vector float8",
        "achieved": "0.95 from 16 GFLOP, 0.5 from 1 GFLOP, 0.1 below"
      },
      {
        "of": "matrix float16",
        "achieved": "0.95 from 128 GFLOP, 0.9 from 16 GFLOP, 0.6 from 1 GFLOP, 0.1 below"
      },
      {
        "of": "vector float16",
        "achieved": "0.95 from 16 GFLOP, 0.5 from 1 GFLOP, 0.1 below"
      },
      {
        "of": "matrix bfloat16",
        "achieved": "0.95 from 128 GFLOP, 0.9 from 16 GFLOP, 0.6 from 1 GFLOP, 0.1 below"
      },
      {
        "of": "vector bfloat16",
        "achieved": "0.95 from 16 GFLOP, 0.5 from 1 GFLOP, 0.1 below"
      },
      {
        "of": "memory 0",
        "achieved": "0.9 from 95.37 MiB, 0.75 from 9.537 MiB, 0.6 from 976.6 KiB, 0.3 below"
      },
      {
        "of": "memory 1",
        "achieved": "0.95 from 95.37 MiB, 0.9 from 9.537 MiB, 0.7 from 976.6 KiB, 0.3 below"
      }
    ]
  },
  "kernels": {
    "host_accelerators": 0,
    "multiprocessors": 132,
    "tile_m": 128,
    "tile_n": 256,
    "float4_TFLOPps": 0,
    "int8_TFLOPps": 0,
    "tfloat32_TFLOPps": 494.7,
    "matrix_efficiency": 0.775,
    "narrow_efficiency": 0.665,
    "float4_efficiency": 0.6,
    "tile_efficiency": 0.95,
    "narrow_tile_efficiency": 0.7,
    "tile_loss": 5,
    "matrix_k_half": 255,
    "weights_GBps": 0,
    "attention_forward": 0.38,
    "attention_backward": 0.33,
    "newest_attention_forward": 0.65,
    "newest_attention_backward": 0.56,
    "attention_dim_half": 50,
    "attention_key_half": 360,
    "memory_efficiency": 0.88,
    "additions_GFLOPps": 32,
    "kernel_us": 2.8,
    "launch_us": 50,
    "sustained": 0.78,
    "power_W": 700,
    "sustained_power_W": 700,
    "reserve_GiB": 1.5,
    "workspace_MiB": 32,
    "engine_workspace_MiB": 32,
    "fragmentation": 0.06,
    "attention_kernels": "flash flash3 flash1",
    "dispatchers": "alltoall allgather deepep",
    "frameworks": "any",
    "platforms": "any"
  },
  "links": [
    {
      "network": 0,
      "efficiency": 0.809,
      "base_us": 4.2,
      "hop_us": 0.76,
      "ramp_MB": 6.7,
      "in_network": 0.61,
      "mesh_to": 0,
      "mesh": false,
      "copied": false
    },
    {
      "network": 1,
      "efficiency": 0.93,
      "base_us": 20,
      "hop_us": 8,
      "ramp_MB": 4,
      "in_network": 0,
      "mesh_to": 0,
      "mesh": false,
      "copied": false
    }
  ],
  "sources": [
    {
      "of": "all",
      "source": "short name of h100-80g-nvl8"
    },
    {
      "of": "matrix",
      "source": "systems/h100_80g_nvl8.json of the tool of [isaev2023]; bfloat16 as float16, as in the datasheet [nvidia2022h100]"
    },
    {
      "of": "vector",
      "source": "systems/h100_80g_nvl8.json of the tool of [isaev2023]; bfloat16 taken as float16"
    },
    {
      "of": "memory[0]",
      "source": "systems/h100_80g_nvl8.json of the tool of [isaev2023]"
    },
    {
      "of": "memory[1]",
      "source": "systems/h100_80g_nvl8.json of the tool of [isaev2023]"
    },
    {
      "of": "network[0].link",
      "source": "fitted, and rounded, to 84 collectives of 64 KiB to 512 MiB on 2 to 8 H100 in [aiconfigurator2026]; on 84 others the median error is 8.7 %, 90 % are within 20 %; reductions in the switch: 480 GB/s of bus bandwidth at 16 GiB on eight in [bekman2026]"
    },
    {
      "of": "network[0]",
      "source": "systems/h100_80g_nvl8.json of the tool of [isaev2023]"
    },
    {
      "of": "network[1].link",
      "source": "efficiency: all-reduce of 16 GiB over 4 nodes reaches 382 of 400 GB/s a node in [bekman2026], a little less taken for fabrics that are shared; hop between what NCCL's tuner has for its protocols LL128 and Simple on networks, 4 and 14 us; base and ramp: sends between two H100 nodes take 17 us for 2 KB, 0.31 ms for 10.8 MB and 1.87 ms for 67.1 MB in [agrawal2024]"
    },
    {
      "of": "network[1]",
      "source": "systems/h100_80g_nvl8.json of the tool of [isaev2023]"
    },
    {
      "of": "kernels",
      "source": "of h100-sxm5-80g: the same chip"
    },
    {
      "of": "all",
      "source": "systems/h100_80g_nvl8.json of the tool of [isaev2023], commit caa4b11"
    }
  ]
}
