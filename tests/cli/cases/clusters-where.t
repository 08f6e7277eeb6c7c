# conditions and headroom of plans over several clusters: each stage satisfies them, on its own GPUs
two="h100-sxm5-80g x16 name=new + a100-sxm4-80g x16 name=old link=100Gb/s@50us"
ask() { reckon search -q -m llama3.1-8b -b 64 -s "$two" "$@" >told; code=$?; sed -n '/^  what the condition/p;/^   1  /p;/^objective bound/p;/^Where the stages/,/^$/p;/^  no plan fits/p' told | cut -c 1-118; echo "exit $code"; }
ask --where 'hbm <= 40GiB'
ask --where 'recompute == full or tp == 4'
ask --where 'hbm <= 14GiB and zero == 1'
# what is about the step, or wants more memory, is asked of the plans that were simulated
ask --where 'step < 3 and mfu > 45%' | grep -e 'what' -e exit
ask --where 'hbm > 60GiB' --headroom learned
ask --where 'hbm > 60GiB' | sed -n 2p
ask --where 'step < 1s'
ask --where 'bubble_s < 1'
ask --where 'hbm < 60'
ask --where 'hbm <= 60GiB and tp = 3x'
ask --headroom 40GiB
reckon search -q -m llama3.1-8b -b 64 -s "${two%% + *} hbm=57GiB + a100-sxm4-80g x16 name=old link=100Gb/s@50us" --headroom learned | sed -n '/^Where the stages/,/^$/p' | cut -c 1-118
ask --headroom 90GiB
ask --headroom x
echo '{"batch": 64, "round": 8, "stages": [{"layers": 32, "cluster": "new", "words": "tp2 dp8"}]}' >a.json
reckon predict -m llama3.1-8b -s "$two" --plan a.json --where 'tp == 2'; echo "exit $?"
reckon search -q -m llama3.1-8b -b 64 -s "h100-sxm5-80g x{8,16} + a100-sxm4-80g x8 link=1Gb/s" --headroom 10% -f csv | cut -d, -f 1-4,8; echo "exit $?"
# a search that is stopped goes on to the same answer, wherever it was (test_clusters_kept tries all places)
reckon search -q -m llama3.1-8b -b 64 -s "$two" --top 3 >whole
timeout -s INT 0.05 reckon search -q -m llama3.1-8b -b 64 -s "$two" --top 3 --state s >part 2>&1
reckon search -q -m llama3.1-8b -b 64 -s "$two" --top 3 --state s | cmp - whole; ls s 2>/dev/null
echo x >s; reckon search -q -m llama3.1-8b -b 64 -s "$two" --state s; echo "exit $?"; cat s
reckon predict -m llama3.1-8b -s "$two" --plan a.json --state s; echo "exit $?"
# several batches, and machines: a row each
reckon search -q -m llama3.1-8b -b 16,32 tp8 -s "${two%% + *} + a100-sxm4-80g x{8,16} link=100Gb/s@50us" --format csv | cut -d, -f 2-4,8
reckon search -q -m llama3.1-8b -b 16..64 tp8 -s "$two" | sed -n '6,$p' | cut -c 1-90
reckon search -q -m llama3.1-8b -b 32..x tp8 -s "$two"; echo "exit $?"
reckon search -m llama3.1-8b -b 2097152 tp8 -s "$two"; echo "exit $?"
reckon timeline -m llama3.1-8b -b 16,32 tp8 -s "$two"; echo "exit $?"
reckon search -m llama3.1-8b -b 16,32 tp8 -s "$two" --why; echo "exit $?"
ask --headroom 79GiB
reckon search -q -m gpt2-124m -b 8 -s "$two" tp8 --where 'hbm < 70GiB'; echo "exit $?"
# headroom is each cluster's own also where others are left out: 5 GiB of the old GPUs hold no plan
reckon search -q -m gpt2-1558m -b 64 -s "h100-sxm5-80g x8 name=new price=2.5 + a100-sxm4-40g x8 name=old price=0.5 link=100Gb/s@50us" --pareto time,step_usd --headroom 35GiB -f csv | cut -d, -f 1,3,14-
=== stdout
   1  2.7266        6009.0  47.53    33.4         32  gbs64 round4; old: 4,5 layers tp4 dp4 mbs1; new: 11,12 layers tp
Where the stages run
stage  cluster  layers  nodes  GPUs  tp  cp  ep  dp  mbs  recompute  forward  backward  messages    end  memory  fits 
                                                                          ms        ms        ms     ms     GiB       
    0  old           9      2    16   4   1   1   4    1  none         51.16    105.27     43.15  20.85    14.0      1
    1  new          23      2    16   2   2   1   4    1  none         53.26    106.36     21.57  26.02    33.4       

objective bound  2.8361 s          no plan without interleaving has a smaller objective; steps may take less: proved
exit 0
   1  2.7924        5867.4  46.41    25.7         32  gbs64 round4; old: 4,5 layers tp4 dp4 mbs1; new: 11,12 layers tp
Where the stages run
stage  cluster  layers  nodes  GPUs  tp  cp  ep  dp  mbs  recompute  forward  backward  messages    end  memory  fits 
                                                                          ms        ms        ms     ms     GiB       
    0  old           9      2    16   4   1   1   4    1  none         51.16    105.27     43.15  20.85    14.0      1
    1  new          23      2    16   4   1   1   4    1  none         55.77    108.09     21.57  16.41    25.7      1

objective bound  2.9068 s          no plan without interleaving has a smaller objective; steps may take less: proved
exit 0
   1  3.0778        5323.3  42.11    13.6         32  gbs64 round1; old: 4 layers tp4 cp2 dp1 mbs1; old: 4 layers tp4 
Where the stages run
stage  cluster  layers  nodes  GPUs  tp  cp  ep  dp  mbs  recompute  forward  backward  messages    end  memory  fits 
                                                                          ms        ms        ms     ms     GiB       
    0  old           4      1     8   4   2   1   1    1  none         13.03     25.17      2.05  10.26     8.2      1
    1  old           4      1     8   4   2   1   1    1  none         11.08     24.02     10.84   9.71     6.1      1
    2  new          13      1     8   4   2   1   1    1  none         14.69     29.51      0.67  10.16    13.6      1
    3  new          11      1     8   4   2   1   1    1  none         15.47     29.27      0.00  10.57    12.8      1

objective bound  3.0801 s          no plan without interleaving has a smaller objective; steps may take less: proved
exit 0
  what the condition says of the step was asked of the plans that were simulated: others may satisfy it, too
exit 0
  what the condition says of the step was asked of the plans that were simulated: others may satisfy it, too
   1  3.3152        9884.2  51.42    68.8         16  gbs64 round16; new: 32 layers tp1 dp16 mbs1 zero2
Where the stages run
stage  cluster  layers  nodes  GPUs  tp  cp  ep  dp  mbs  recompute  forward  backward  messages    end  memory  fits 
                                                                          ms        ms         s     ms     GiB       
    0  new          32      2    16   1   1   1  16    1  none        264.74    551.81      0.00  49.00    68.8       

objective bound  2.8282 s          no plan without interleaving has a smaller objective; steps may take less: proved
exit 0
   1  3.3152        9884.2  51.42    68.8         16  gbs64 round16; new: 32 layers tp1 dp16 mbs1 zero2
  what the condition says of the step was asked of the plans that were simulated: others may satisfy it, too
  no plan fits that keeps to all that is asked of its stages: 53 were simulated; leave a condition or a value out
exit 1
  what the condition says of the step was asked of the plans that were simulated: others may satisfy it, too
   1  2.7192        6025.2  47.66    60.5         32  gbs64 round8; old: 4,5 layers tp2 dp8 mbs1; new: 11,12 layers tp
Where the stages run
stage  cluster  layers  nodes  GPUs  tp  cp  ep  dp  mbs  recompute  forward  backward  messages    end  memory  fits 
                                                                          ms        ms        ms     ms     GiB       
    0  old           9      2    16   2   1   1   8    1  none         97.95    203.12     86.10  30.25    24.0      1
    1  new          23      2    16   1   2   1   8    1  none         98.23    200.24     43.05  43.76    60.5       

objective bound  2.8282 s          no plan without interleaving has a smaller objective; steps may take less: proved
exit 0
exit 2
exit 2
   1  2.7266        6009.0  47.53    33.4         32  gbs64 round4; old: 4,5 layers tp4 dp4 mbs1; new: 11,12 layers tp
Where the stages run
stage  cluster  layers  nodes  GPUs  tp  cp  ep  dp  mbs  recompute  forward  backward  messages    end  memory  fits 
                                                                          ms        ms        ms     ms     GiB       
    0  old           9      2    16   4   1   1   4    1  none         51.16    105.27     43.15  20.85    14.0      1
    1  new          23      2    16   2   2   1   4    1  none         53.26    106.36     21.57  26.02    33.4       

objective bound  2.8361 s          no plan without interleaving has a smaller objective; steps may take less: proved
exit 0
Where the stages run
stage  cluster  layers  nodes  GPUs  tp  cp  ep  dp  mbs  recompute  forward  backward  messages    end  memory  fits 
                                                                          ms        ms        ms     ms     GiB       
    0  old           9      2    16   4   1   1   4    1  none         51.16    105.27     43.15  20.85    14.0      1
    1  new          23      2    16   2   2   1   4    1  none         53.26    106.36     21.57  26.02    33.4       

exit 2
exit 2
exit 2
model,system,gpus,batch,step_s
llama3.1-8b,x8,16,64,6.685695834714296
llama3.1-8b,x16,24,64,3.315202930809921
exit 0
exit 3
x
exit 2
system,gpus,batch,step_s
x8,24,16,0.9966218091892715
x8,24,32,1.9279486620607345
x16,32,16,0.8510498450801466
x16,32,32,1.6281002473638702
Best plan of each problem
GPUs  batch  plans  fits    step  tokens/s/GPU    MFU  memory  fits in  GPUs used  best pl
                               s                    %     GiB        %
  32     16     20    20  0.8510        4812.9  38.07    30.1      100         32  tp8 pp2
  32     32     24    24  1.6281        5031.6  39.80    21.6      100         32  tp8 pp2
  32     64     22    22  3.1250        5242.8  41.47    21.6      100         32  tp8 pp2
exit 2
exit 2
exit 2
exit 2
   1  2.6969        6075.2  48.06    77.8         32  gbs64 round8; new: 13,13 layers tp1 cp2 dp8 mbs1; old: 3,3 layer
Where the stages run
stage  cluster  layers  nodes  GPUs  tp  cp  ep  dp  mbs  recompute  forward  backward  messages    end  memory  fits 
                                                                          ms        ms        ms     ms     GiB       
    0  new          26      2    16   1   2   1   8    1  none         99.42    209.41     86.10  48.43    77.8       
    1  old           6      2    16   1   2   1   8    1  none         88.51    174.32     43.05  41.92    22.8      1

objective bound  2.8282 s          no plan without interleaving has a smaller objective; steps may take less: proved
exit 0
gpt2-124m on h100-sxm5-80g x16 name=new + a100-sxm4-80g x16 name=old link=100Gb/s@50us, 32 GPUs, batch 8 of 1K tokens, megatron, bf16, detailed model
  0 plans simulated, the best of 0 exactly solved problems and what lies near them
  cluster new, h100-sxm5-80g x16, can be used by no stage: bad_tensor: heads (asked for 8, there is 12); leave it out, or change the words
exit 1
rank,step_s,gpus,step_usd,stages
1,0.195547395019662,8,0.0010863744167759,gbs64 round64; new: 48 layers tp1 dp8 mbs8
=== stderr
reckon: --where: column 7 of "hbm < 60": a size needs its unit, such as 60GiB
reckon: --where: column 24 of "hbm <= 60GiB and tp = 3x": unknown unit; write a size such as 60GiB or a time such as 10us
reckon: --headroom: h100-sxm5-80g x16 has 79.2 GiB, of which 90GiB leaves nothing
reckon: --headroom must be a size such as 8GiB, a share such as 10%, learned or none; got "x"
reckon: "--where" is not known: reckon predict --help-all lists all flags
reckon: s: this is not a whole state of a search of this version: remove it to start over, or name another file
reckon: "--state" is not known, did you mean --stages? reckon predict --help-all lists all flags
reckon: --batch: 32..x: expected a number, "8..64", "8..64 step 8", "8..64 +8" or "8..64 x2"
reckon: batch 2097152: at most 1048576 samples over several clusters
reckon: "batch=16,32 tp8":1:7: gbs must be a number, got "16,32": write out its digits
reckon: --all, --pareto, --why and --sensitivity are about one problem: give one model, system, size and batch
