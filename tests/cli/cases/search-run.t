q="reckon search -q -k 2"
$q -m llama3.1-405b -s h100-sxm5-80g -g 16384 -b 2048 --tokens 15.6T --sort cost --price reserved | sed -n '/^Best plan[^:]*$/,/^ *2/p;/^The run/,/^GPU-hours/p'
p="$q -m llama3.1-70b -s h100 -g 64 -b 256"
$p --tokens 1T --price 2 --where 'days <= 200 and cost < 1e6' | sed -n 3p
$p --tokens 1T --price 2 --pareto days,hbm | sed -n '/^The first/,/^ *2/p'
$p --tokens 1T --price 2 --sort 'days * 2' -f json | grep -c '"days"'
reckon search -q -m llama3.1-70b -s h100,h200 -g 64,128 -b 256 --tokens 1T --price 2 | cut -c1-110
for wrong in '--sort cost' '--pareto time,days' '--tokens 0' '--tokens usual --price cheap'; do $p $wrong >/dev/null; echo $?; done
$p -s tpu-v4 --tokens 1T --sort cost > /dev/null; echo $?
=== stdout
Best plans
rank    step  tokens/s/GPU    MFU  memory  fits in   days  cost in USD  context  pipeline  data  chunks
           s                    %     GiB        %                   M
   1  5.5087        185.89  47.42    59.0       81  65.76      127.926        2        16    64       8
   2  5.5147        185.68  47.37    32.9       99  65.83      128.065        4        32    16       4
The run
tokens                         15.600 T
steps                          929,833
days                           65.76             expected, failures and checkpoints included
... with few failures          65.41             10th percentile, of failures alone; the step has a range of its own
... with many failures         66.16             90th percentile
of it training                 59.28
goodput                        90.15 %           training over all of it
a failure every                3.09 h
failures                       510               expected
noticing, restarting, waiting  7.81 %
work done again                1.03 %
checkpoints                    1.01 %
a checkpoint every             246.7 s           the best, or that of --interval; a step at least
... by Young's formula         248.6 s
... by Daly's                  246.7 s
spare nodes                    13
a checkpoint has               5.17 TiB
... and takes                  2.77 s
GPU-hours                      25.858 M
  1,495,644 plans, 150,737 feasible, 6723 of them satisfy days <= 200 and cost < 1e6
The first 2 of the 82 plans of the frontier
rank     step  tokens/s/GPU    MFU  memory  fits in   days  cost in USD  chunks
            s                    %     GiB        %                   K
   1  28.9766        1130.8  51.34    65.1       78  164.6      505.650       8
   2  28.9867        1130.5  51.33    64.7       78  164.7      505.826      10
3
most tokens per second: h200-sxm-141g, 128 GPUs; fits: P(fits) 79 %, 13.00 s per step (50 % 12.20-15.60 s), MF
  plan: dp32 tp4 mbs2 gbs256 sp tp-overlap zero3 grad-overlap weight-overlap
llama3.1-70b on 2 systems, detailed model: 4 of 4 problems have a plan
  runs of 1T tokens; failures, checkpoints and spare nodes included

Best plan of each problem
system         GPUs      plans     fits     step  tokens/s/GPU    MFU  memory  fits in   days  cost in USD  US
                                               s                    %     GiB        %                   K    
h100-sxm5-80g    64  1,495,644  150,737  28.9766        1130.8  51.34    65.1       78  164.6      505.650    
h100-sxm5-80g   128  1,797,016  267,528  14.6351        1119.5  50.83    58.7       81  84.74      520.651    
h200-sxm-141g    64  1,495,644  334,022  25.9317        1263.6  57.37   120.0       76  147.3      452.517    
h200-sxm-141g   128  1,797,016  484,234  13.0018        1260.1  57.21   110.8       79  75.28      462.548    
2
2
2
2
2
=== stderr
reckon: --sort: cost is of a run: give --tokens, 15T or usual
reckon: --pareto: days is of a run: give --tokens, 15T or usual
reckon: --tokens: must be more than 0, got 0
reckon: price: no offer "cheap" of h100-sxm5-80g in the list: give US dollars for an hour, 2.5
reckon: --sort: cost: no price of tpu-v4 is known: give price=2.5 with the machine, a list that has it with --prices, or --price
