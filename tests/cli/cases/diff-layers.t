W="gpus64 gbs64 tp8 pp4 sp zero1 grad-overlap weight-overlap"
reckon diff -m llama3.1-70b -s h100-sxm5-80g "$W recompute=full split=20*4" "$W stages=10/recompute=full~10,5/recompute=full~15,20*2" | sed -n '/^Layers that/,/^$/p'
=== stdout
Layers that are run differently, and the effect of each run of layers
stage  layers  change                  alone   memory      without
    0  10-19   recompute full -> none  -0.4 %  +10.44 GiB  +12.4 %
    1  25-39   recompute full -> none  -0.5 %  +9.95 GiB   +12.5 %
    2  40-59   recompute full -> none  -0.7 %  +8.04 GiB   +13.5 %
    3  60-79   recompute full -> none  -3.8 %  +5.06 GiB   +18.0 %

