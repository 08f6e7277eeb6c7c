# The model file is one that the catalog loads; it counts its parameters a little more exactly.
reckon shapes --params 3T --top 1 -o 3t.json &&
    reckon models ./3t.json | head -n 12
=== stdout
blocks  hidden  ratio  heads  head dim  feedforward  parameters  off target  splits  rule
                                                                          %
   176  36,864  209.5    176       209      147,456      2.87 T        -4.3      50  as published
3t: 3T, 176 blocks
  Proposed by reckon shapes. Feed-forward 4 * hidden, heads = blocks.

Model
id               3t
parameters       2.87 T            trainable parameters
layers           176               transformer blocks
hidden           36,864            width of the residual stream
feedforward      147,456           width inside the MLP
heads            176               attention heads
head dim         209               width of one head
sequence         8K                tokens of one sample
