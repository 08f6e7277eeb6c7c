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
figure   points  finished  can run       plans       fits
scaling      26        26       26  63,866,352  2,454,724
point         2         2        2  12,431,776  3,057,780

MFU over the number of GPUs
figure   model     system                           GPUs from    to  MFU from    to
                                                                            %     %
scaling  multi-1t  h100-80g-nvl8 mem2=none                256  1024      24.0  61.3  ==%*#%#%#%#%#
scaling  multi-1t  h100-80g-nvl8 mem2=1TiB@100GB/s        256  1024      65.7  67.2  #############
