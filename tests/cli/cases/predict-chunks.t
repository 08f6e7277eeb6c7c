# layers in chunks of the sequence: predicted, searched, simulated; what is not known is refused with what would work
s='a100-sxm4-80g mem2=250GB@20GB/s'
w='framework=deepspeed cp8 cp-kind=ulysses zero3 gbs1 seq4194304 recompute=full offload-activations=1 loss-in-chunks grad-overlap weight-overlap'
for u in 1 16 64; do reckon predict -m llama3.1-8b -s "$s" -g 8 $w seq-chunks$u --verbose | grep -E '^(fits|unsure|does)|^offload|^memory tier'; done
reckon timeline -m llama3.1-8b -s "$s" -g 8 $w seq-chunks64 | grep '^step'
reckon search -m llama3.1-8b -s "$s" -g 8 -b 1 framework=deepspeed loss-in-chunks --sequence 4194304 --context-kind ulysses --sequence-chunks 1,16,64 --activation-shares 1 --zero 3 --top 3 -q | sed -n '/^Best plan[^:]*$/,/^$/p'
p="reckon predict -m llama3.1-8b -g 8 gbs8 seq131072"
for refused in 'seq-chunks2' 'cp8 recompute=full seq-chunks2' 'recompute=full recompute-layers4 seq-chunks2' 'recompute=full attention=unfused seq-chunks2' 'recompute=full full-attention seq-chunks2' 'recompute=full seq-chunks3' 'offload-activations=1.2' 'recompute=full recompute-rest'; do
    $p -s "$s" $refused | sed -n 1p
done
$p -s a100-sxm4-80g recompute=full seq-chunks2 | sed -n 1p
$p -s "$s" seq-chunks0
echo "exit $?"
reckon offload -m llama3.1-8b -s "$s" -g 8 $w seq-chunks64 | sed -n '/^as the plan/p;/^swap all/p' | cut -c1-64
reckon program -m llama3.1-8b -s "$s" -g 8 $w seq-chunks64
reckon fits -m llama3.1-8b -s "$s" -g 8 $w seq-chunks64 --place | sed -n '1p;/^fixed/p;/^caching/p'
reckon search -m llama3.1-8b -s "a100-sxm4-80g hbm=60GiB mem2=250GB@20GB/s" -g 8 -b 8 framework=deepspeed loss-in-chunks seq-chunks16 --sequence 262144 --context-kind ulysses --activation-shares all --layerwise -q | sed -n '/^any/p;/^gain/p;/^stage  first/,/^$/p'
reckon search -m llama3.1-8b -s "$s" -g 8 -b 1 --sequence-chunks 1,2 --layerwise -q
echo "exit $?"
=== stdout
does not fit: memory tier 0 (HBM2e) needs 136.9 GiB on stage 0, has 79.20 GiB: 57.69 GiB too little
offload        0.4731    0.0  exposed offload transfers
memory tier 0 (HBM2e)  136.89     79.20  172.8  ########################
memory tier 1 (mem2)   140.98    232.83   60.6  ###############.........
unsure: P(fits) 73 %, 4.349 h per step (50 % 4.206-5.467 h), MFU 35.9 %, memory 67.5 of 79.2 GiB, 16.51k USD per 1B tokens
offload        0.4731    0.0  exposed offload transfers
memory tier 0 (HBM2e)   67.46     79.20   85.2  ####################....
memory tier 1 (mem2)   162.98    232.83   70.0  #################.......
fits: P(fits) 80 %, 4.371 h per step (50 % 4.226-5.494 h), MFU 35.7 %, memory 62.3 of 79.2 GiB, 16.59k USD per 1B tokens
offload        0.4731    0.0  exposed offload transfers
memory tier 0 (HBM2e)   62.29     79.20   78.7  ###################.....
memory tier 1 (mem2)   162.98    232.83   70.0  #################.......
step: 15734.6 s simulated, 15734.6 s by the detailed model: the same
Best plans
rank        step  tokens/s/GPU    MFU  memory  offloaded  fits in  sequence-chunks  shard-ranks  activation-offload  optimizer-offload
               s                    %     GiB        GiB        %
   1  15659.1480        33.481  35.88    54.4      179.8       90               16            0                 yes                yes
   2  15661.3402        33.477  35.88    56.2      196.6       88               16            4                 yes                yes
   3  15734.6075        33.321  35.71    62.3      163.0       80               64            0                 yes                 no

cannot run: with seq-chunks every layer is fully recomputed: give recompute=full, without recompute-layers, recompute-every or recompute-stride
cannot run: seq-chunks is known where heads are exchanged: give cp-kind=ulysses, or no cp
cannot run: with seq-chunks every layer is fully recomputed: give recompute=full, without recompute-layers, recompute-every or recompute-stride
cannot run: seq-chunks needs attention in a fused kernel: leave attention=unfused out
cannot run: seq-chunks needs attention that is causal, over all tokens or a window: without recurrences, encoders, windows in chunks, full-attention
cannot run: sequence_chunks 3: 131072 tokens are not a multiple of ranks * chunks = 3: use a sequence of 131070 or 131073
cannot run: a share is at most 1: above it means memory tier 2, which is not there: give a share from 0 to 1, or add one, mem3=4TiB@20GB/s
cannot run: recompute-rest decides itself what is recomputed: leave recompute out
cannot run: offloading needs a second memory, a100-sxm4-80g has 1: add one to it, mem2=1TiB@50GB/s
exit 2
as the plan says      1 to 1       recompute whole layers  4.370
llama3.1-8b on a100-sxm4-80g mem2=250GB@20GB/s, 8 GPUs: 1 programs
  plan: framework=deepspeed cp8 gbs1 seq4194304 cp-kind=ulysses seq-chunks=64 zero3 grad-overlap
  weight-overlap recompute=full loss-in-chunks offload-activations=1
  assumed: precision bf16, microbatch 1, attention flash

Classes of ranks
stage  first rank  ranks  instructions  messages  collectives  kernels  tensor  context  experts   data  stages     parameters  state    held
                                                                 PFLOP       B      GiB        B    GiB       B                   GiB     GiB
    0           0      8     2,289,564         0       12,390  2625.00    0.00   840.00     0.00  39.26    0.00  8,030,261,248  14.96  140.98
fits: P(fits) 80 %, 4.371 h per step (50 % 4.226-5.494 h), MFU 35.7 %, memory 62.3 of 79.2 GiB, 16.59k USD per 1B tokens
fixed addresses          59.70  4.24           8.47   63.94  15.26  planned
caching allocator        59.70  4.44           8.88   64.14  15.06  PyTorch's default
any schedule      580.1753 s        the best plan of reckon search: layers alike, interleaved or not
gain              0.00 %            of the step, less than that
stage  first  layers  run                                 data  microbatch
    0      0      32  tp1 zero3 recompute=full offload=1     8           1

exit 2
=== stderr
reckon: "gbs8 seq131072 seq-chunks0":1:26: seq-chunks must be >= 1 and <= 65536, got "0"
reckon: --layerwise: all layers split the sequence into the same number of chunks; give one number, seq-chunks8
