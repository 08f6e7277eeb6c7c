p="reckon predict --verbose -m llama3.1-405b -s h100 -g 16384 tp8 pp16 vpp8 sp zero1 gbs2048 grad-overlap weight-overlap embedding-counts head-counts"
# Meta's plan: 30.84 million GPU-hours published, more than 90 % of the time effective [dubey2024]
$p --tokens usual | sed -n '/^days/p;/^goodput/p;/^GPU-hours/p;/^a checkpoint every/p'
$p --tokens 15.6T --price reserved --carbon 300 | sed -n '/^The run/,/^Stages/p' | grep -v '^Stages'
$p --tokens 15.6T --mtbf never --price 2 -f json | sed -n '/"run": {/,/}/p'
q="reckon predict --verbose -m llama3.1-8b -s h100 -g 8 tp8"
for wrong in '--tokens 0' '--tokens inf' '--tokens 1e400' '--tokens 300G/s' '--tokens -3B' '--tokens 100' '--tokens 1T --mtbf 0' '--tokens 1T --price cheap' '--tokens 1T --price -1' '--tokens 1T --storage 3' '--tokens 1T --storage 0B/s' '--tokens 1T --interval -1s' '--tokens 1T --prices none.json' '--tokens 1e300' '--tokens 1T --mtbf 0.001' '--tokens 1T --price 0' '--tokens 1T --interval 1s --storage 100MB/s'; do
    $q $wrong > /dev/null; echo $?
done
reckon predict -m gpt2-124m -s h100 -g 8 --tokens usual >/dev/null; echo $?
echo '{"prices": [{"accelerator": "h100", "offer": "ours", "usd_per_hour": 1, "date": "today", "source": "us"}]}' > ours.json
$q --tokens 1T --prices ours.json | grep -e 'cost in' -e 'ours of'
reckon fits llama3.1-8b h100 -g 8 tp8 --tokens 1T --price 2 | sed -n '/^days/p;/^cost/p'
reckon diff "gpus64 tp8 pp2 sp zero1 gbs128" "+tp4 pp8" -m llama3.1-70b -s h100 --tokens 1T --price 2 | sed -n '/whole run/,$p'
# of adapters they are what a checkpoint has, by hand in all of Llama 3.1 8B: 32 layers of 16 * (2 * 8192 + 2 * 5120 +
# 3 * 18432) parameters, 12 bytes each: 503,316,480
for w in "" "tp2 sp"; do reckon predict llama3.1-8b "h100 x8" framework=fsdp zero3 gbs64 seq2048 lora16 lora-bytes=4 $w --tokens 1B --format json | grep -E '"checkpoint_bytes"'; done
# in samples and epochs: 3 * 50,000 samples are 2344 steps of 64; of one epoch packed 13.7 to a row, 58
s="reckon predict llama3.1-8b h100-sxm5-80g -g 8 framework=fsdp zero3 gbs64 lora16 --samples"
for w in "seq2048 --epochs 3" "mbs1 --lengths 300:4096" "seq4096 --lengths 300:4096 --batching packed"; do $s 50k $w | sed -n '/^tokens  /p;/^steps/p'; done
reckon fits llama3.1-8b "rtx4090 x1" --tune --lengths 600:4096 base=nf4 lora16 recompute=full --samples 1k --save-script - 2>/dev/null | sed -n '/^# The run/p;/^tokens  /p;/^steps/p;/^days/p'
for wrong in "50k --tokens 1T" "50k packed512" 0 x; do $s $wrong seq2048 >/dev/null; echo $?; done
# a host fails, and is spared, not the rack of NVLink or the pod of ICI that it is in: 4 GPUs of 72, 4 chips of 8,960
spared() { reckon predict "$@" --tokens 1T | grep -E '^spare nodes|^cost in'; }
spared -m llama3.1-70b -s "tpu-v5p x1024" -g 1024 framework=fsdp dp512 tp2 gbs1024 sp zero3 recompute=full xla --price 2.1
spared -m llama3.1-8b -s "gb200-nvl72 x288" -g 288 dp288 gbs1152 zero1 --price 7
# of two clusters the larger host, whichever stands first
for pair in "gb200-nvl72 x72 price=5 + h100-sxm5-80g x64 price=5" "h100-sxm5-80g x64 price=5 + gb200-nvl72 x72 price=5"; do
    reckon search -q -m llama3.1-8b -b 544 -s "$pair link=400Gb/s@5us" --top 1 --tokens 1T --recompute none --context 1 | grep -E '^spare nodes|^cost in'
done
=== stdout
days                           80.65             expected, failures and checkpoints included
goodput                        90.15 %           training over all of it
a checkpoint every             246.7 s           the best, or that of --interval; a step at least
GPU-hours                      31.714 M
The run
tokens                         15.600 T
steps                          929,833
days                           80.65             expected, failures and checkpoints included
... with few failures          80.26             10th percentile, of failures alone; the step has a range of its own
... with many failures         81.08             90th percentile
of it training                 72.71
goodput                        90.15 %           training over all of it
a failure every                3.09 h
failures                       625.5             expected
noticing, restarting, waiting  7.81 %
work done again                1.03 %
checkpoints                    1.01 %
a checkpoint every             246.7 s           the best, or that of --interval; a step at least
... by Young's formula         248.6 s
... by Daly's                  246.7 s
spare nodes                    13
a checkpoint has               5.17 TiB
... and takes                  2.77 s
GPU-hours                      31.714 M
cost in USD                    156.895 M         spare nodes included
... of 10^12 tokens            10.057 M
energy in kWh                  26.755 M          boards at the load of the step, times factors for hosts, network and cooling (--prices)
CO2 in tonnes                  8026

  assumed: failures as of llama3: [dubey2024] Table 5; 4.916 USD per GPU-hour,
  reserved of 2024-12-01: AWS EC2 Capacity Blocks for ML, p5.48xlarge, 39.33 USD for eight

What would bring the run more
change                                               saves days  goodput  checkpoint every  cost in USD
                                                                       %                 s            M
one more spare node                                      0.0238    90.18             246.7      156.924
twice the storage bandwidth                               0.529    90.75             174.8      155.866
checkpoints in the background (--checkpoints async)        1.64    92.03              17.6      153.699
checkpoints in memory (--checkpoints memory)               1.66    92.05              17.6      153.661
half the time from failure to work                         3.19    93.87             246.7      150.680
half the failures                                          3.74    94.53             349.7      149.626

  "run": {
    "tokens": 15600000000000,
    "steps": 929833,
    "days": 72.70971694794038,
    "days_p10": 72.70968483696353,
    "days_p90": 72.70971694794038,
    "work_days": 72.70968483696353,
    "goodput": 0.9999995583674618,
    "mtbf_s": null,
    "failures": 0,
    "down_share": 0,
    "lost_share": 0,
    "checkpoint_share": 4.4163253825954335e-07,
    "interval_s": null,
    "young_s": null,
    "daly_s": null,
    "spares": 0,
    "checkpoint_bytes": 5681947443200,
    "write_s": 2.7743884,
    "gpu_hours": 28590624.059401326,
    "cost_usd": 57181248.11880265,
    "cost_per_trillion_usd": 3665464.6230001696,
    "energy_kWh": 24119887.599586394,
    "carbon_t": null
  },
2
2
2
2
2
2
2
2
2
2
2
2
3
2
2
2
2
2
cost in USD                    44.414 K          spare nodes included
  assumed: failures as of llama3: [dubey2024] Table 5; 1 USD per GPU-hour, ours of today: us
change                                               saves days  goodput  checkpoint every  cost in USD
days                           231.3             expected, failures and checkpoints included
cost in USD                    88.828 K          spare nodes included
The whole run
plan   days  goodput  GPU-hours  cost in USD  energy in kWh
                   %          K            K              K
A     224.7    97.16    345.107      690.214        290.382
B     213.0    97.16    327.132      654.264        292.585

  assumed: failures as of llama3: [dubey2024] Table 5
    "checkpoint_bytes": 503316480,
    "checkpoint_bytes": 503316480,
tokens                         307.200 M
steps                          2344
tokens                         15.000 M
steps                          782
tokens                         14.999 M
steps                          58
# The run: 1000 steps, 0.0006 billion tokens, 600 a step.
tokens                         600.000 K
steps                          1000
days                           0.005367          expected, failures and checkpoints included
2
2
2
2
spare nodes                    2
cost in USD                    1.254 M           spare nodes included
spare nodes                    1
cost in USD                    97.900 K          spare nodes included
spare nodes                    0
cost in USD                    112.180 K         spare nodes included
spare nodes                    0
cost in USD                    112.180 K         spare nodes included
=== stderr
reckon: --tokens: must be more than 0, got 0
reckon: --tokens: "inf" is not a number: write a number such as 60, 3e-4 or 1.5T
reckon: --tokens: the number is too large
reckon: --tokens: "300G/s" is not a number: write a number such as 60, 3e-4 or 1.5T
reckon: --tokens: must be more than 0, got -3B
reckon: the run: the tokens are fewer than those of one step
reckon: --mtbf: "0" is not a number of hours above 0, nor never
reckon: price: no offer "cheap" of h100-sxm5-80g in the list: give US dollars for an hour, 2.5
reckon: --price: -1 is negative
reckon: --storage: "3" has no unit: write a rate such as "100GB/s" or "400Gb/s"
reckon: --storage: must be more than 0, got 0B/s
reckon: --interval: must be more than 0, got -1s
reckon: none.json: cannot open: No such file or directory; check the path
reckon: the run: 2.79e+290 checkpoints and failures of one simulated run are too many to follow: give fewer tokens, or more time between failures
reckon: the run: inf checkpoints and failures of one simulated run are too many to follow: give fewer tokens, or more time between failures
reckon: price: 0 US dollars for an hour make no cost: give more than 0, an offer of the list, or leave it out
reckon: the run: a checkpoint takes longer than the interval: give a longer interval, or faster storage
reckon: tokens: the catalog does not know on how many tokens gpt2-124m was trained: give a number, 2T
reckon: --samples and --tokens say the same: leave one out
reckon: --samples: packs hold several samples: --lengths MEAN:LONGEST says how many, or give --tokens
reckon: --samples: must be more than 0
reckon: --samples: "x" is not a number: write a number such as 60, 3e-4 or 1.5T
