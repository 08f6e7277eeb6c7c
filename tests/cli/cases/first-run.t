reckon
=== stdout
Reckon predicts the time and memory of LLM training plans, and finds the best one.

What people ask first:

  Does it fit, and how should it be split?
    reckon fits llama3.1-70b h100-sxm5-80g -g 64

  Which plan is the best?
    reckon search -m llama3.1-70b -s h100-sxm5-80g -g 64 -b 256

  What do I launch?
    reckon export megatron -m llama3.1-70b gpus64 dp16 tp4 gbs256 sp tp-overlap zero3 grad-overlap weight-overlap

  What can be trained?
    reckon models

reckon --help lists all commands; reckon COMMAND --help explains one.
