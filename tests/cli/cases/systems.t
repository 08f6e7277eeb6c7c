reckon systems | grep -e '^Machines' -e '^h100-sxm5-80g ' -e '^h100-80g-nvl8 ' -e 'not shown'
reckon systems --all | grep -c offload
reckon systems H100 | head -1
reckon predict -m llama3.1-8b -s h200 -g 8 tp8 | sed -n '2s/^ *//p' | cut -d, -f1
reckon systems -f json | sed -n '/"a100-80g-nvl8"/,/}/p'
=== stdout
Machines in use
h100-sxm5-80g           1.98 PFLOP/s  989.40 TFLOP/s  989.40 TFLOP/s   67.00 TFLOP/s  79.20 GiB at 3.350 TB/s                        8 at 450 GB/s, 65536 at 50 GB/s        NVIDIA H100 80 GB (SXM5)
Machines of the published studies, kept for their numbers
h100-80g-nvl8      2.00 PFLOP/s    1.00 PFLOP/s    1.00 PFLOP/s  80 GiB at 3.072 TB/s, 512 GiB at 450 GB/s  8 at 450 GB/s, 65536 at 50 GB/s  NVIDIA H100 80 GB (SXM5), eight on NVSwitch, as in [isaev2023]
18 systems that are another one with a change in one line are not shown: --all lists them
12
h100-sxm5-80g: NVIDIA H100 80 GB (SXM5)
llama3.1-8b on h200-sxm-141g
      "id": "a100-80g-nvl8",
      "float8_FLOPps": null,
      "float16_FLOPps": 312000000000000,
      "bfloat16_FLOPps": 312000000000000,
      "float32_FLOPps": null,
      "memory": "80 GiB at 2.048 TB/s, 512 GiB at 32 GB/s",
      "networks": "8 at 300 GB/s, 65536 at 25 GB/s",
      "name": "NVIDIA A100 80 GB (SXM4), eight on NVSwitch"
    },
