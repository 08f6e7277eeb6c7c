cat >study.json <<'STUDY'
{
    "framework": "calculon", "datatype": "float8", "batch": 512,
    "figures": [
        {"name": "scaling", "models": ["multi-1t"],
         "systems": ["h100-80g-nvl8 mem2=none", "h100-80g-nvl8 mem2=1TiB@100GB/s"],
         "gpus": "256..1024 step 64"},
        {"name": "point", "models": ["gpt3-175b"], "systems": ["h100-80g-nvl8"], "gpus": [512, 1024]}
    ]
}
STUDY
reckon study study.json --quiet
=== stdout
28 of 28 points are finished, 28 can run; highest MFU 67.2 %: multi-1t on h100-80g-nvl8 mem2=1TiB@100GB/s, 256 GPUs

figure   points  finished  can run       plans       fits
scaling      26        26       26  63,866,352  2,454,724
point         2         2        2  12,431,776  3,057,780

MFU over the number of GPUs
figure   model     system                           GPUs from    to  MFU from    to
                                                                            %     %
scaling  multi-1t  h100-80g-nvl8 mem2=none                256  1024      24.0  61.3  ==%*#%#%#%#%#
scaling  multi-1t  h100-80g-nvl8 mem2=1TiB@100GB/s        256  1024      65.7  67.2  #############

The best plan of each figure, by MFU
figure   model      system                           gpus  max batch  step s    MFU  memory  plan
                                                                           s      %     GiB
scaling  multi-1t   h100-80g-nvl8 mem2=1TiB@100GB/s   256        512   71.65  67.21   67.41  framework=calculon precision=fp8-current dp64 tp4 mbs4 gbs512 sp tp-overlap zero1 grad-overlap recompute=selective offload-activations=1 offload-optimizer=1 offload-weights=1 tp-net=0 pp-net=0 dp-net=1
point    gpt3-175b  h100-80g-nvl8                     512        512    1.78  61.58    5.88  framework=calculon precision=fp8-current dp32 tp8 pp2 vpp16 mbs8 gbs512 sp tp-overlap zero1 grad-overlap offload-activations=1 offload-optimizer=1 offload-weights=1 tp-net=0 pp-net=1 dp-net=1
