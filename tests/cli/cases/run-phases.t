# the phases of Llama 3.1 405B [dubey2024] 3.4.1: 4 M tokens a step, 8 M behind 252 M tokens, 16 M behind 2.87 T
p="reckon predict -m llama3.1-405b -s h100 -g 16384 tp8 pp16 vpp8 sp zero1 gbs2048 grad-overlap weight-overlap embedding-counts head-counts --tokens usual --price reserved --verbose"
$p --phases "252M gbs1024 seq4096; 2.618T gbs1024; rest" | sed -n '/^The run/,/^goodput/p;/^Its phases/,/^ *3 /p' | cut -c1-90
$p --spares 0 --elastic | sed -n '/^days/p;/^goodput/p;/failures as of/,/^$/p'
$p --failures bloom --mtbf never | sed -n '/^days/p;/^a failure/p'
# each phase its own best plan, and what of them the rows of the search are about
s="reckon search -q -k 1 -m llama3.1-8b -s h100 -g 64 --tokens 1T"
$s -b 256 --phases "100G gbs64 seq4096; 400G gbs128; rest" --sort days | sed -n '/^Best plan[^:]*$/,/^ *1/p;/^days /p;/^Its phases/,/^  assumed/p' | cut -c1-100
reckon diff -m llama3.1-8b -s h100 "gpus8 tp8 gbs64" "gpus8 tp4 gbs64" --tokens 1T --phases "100G gbs32; rest" | sed -n '/^The whole run/,/^B/p'
for wrong in "252M gbs1024; 3T" "rest; rest" "x gbs3" "" "0 gbs4; rest" "100G tp8; rest" "500G gbs128; 500G gbs512" "1T gbs100; rest"; do $s -b 256 --phases "$wrong" >/dev/null; echo $?; done
$p --phases "1T dp3; rest"; $p --failures foo; echo '{"failures": [{"logbook": "hosts", "accelerators": 8, "nodes": 1, "days": 1000, "device_failures": 0, "network_failures": 0, "node_failures": 1, "source": "ours"}]}' >hosts.json
$p --prices hosts.json --mtbf 1000; $p --prices hosts.json --elastic | grep -c '^days  *[0-9]'
cat > facts.json <<'F'
{"energy": {"matrix": 1, "memory": 1, "waiting": 1, "node_factor": 2, "cooling_factor": 1, "source": "all of the limit"}}
F
$p --prices facts.json | sed -n '/^energy/p'
echo '{"energy": {"matrix": 1}}' > facts.json; $p --prices facts.json
echo '{"prices": [{"accelerator": "h100-sxm5", "offer": "x", "usd_per_hour": -1, "date": "d", "source": "s"}]}' > facts.json; $p --prices facts.json
echo '{"price": []}' > facts.json; $p --prices facts.json
# what is of a run, without one
q="reckon predict -m llama3.1-8b -s h100 -g 64 tp4 zero1 gbs256 sp"
for wrong in '--price 2' --elastic '--phases rest' '--failures bloom' '--tokens 1T --price 1e300'; do $q $wrong >/dev/null; echo $?; done
reckon budget -s h100 -g 8 --days 1 --tokens 1T; echo $?
$q --tokens 1T --spares 0 --elastic | grep -o 'it goes on with [0-9]* GPUs'
# diff: --gpus counts for plans in words
reckon diff "tp4 zero1 gbs256 sp" "tp2 zero1 gbs256 sp" -m llama3.1-8b -s h100 -g 64 | sed -n '/^A  /,/^  plan/p'
=== stdout
The run
tokens                         15.600 T
steps                          1,085,924
days                           92.82             expected, failures and checkpoints includ
... with few failures          92.41             10th percentile, of failures alone; the s
... with many failures         93.27             90th percentile
of it training                 83.67
goodput                        90.14 %           training over all of it
Its phases
phase     tokens  batch  sequence   step   MFU  change of plan      days  fits  plan
               T                       s     %               s
    1   0.000252   1024        4K  3.428  18.7               -  0.002686   yes  dp128 tp8 
    2   2.618000   1024        8K  6.412  20.4             726     25.70   yes  dp128 tp8 
    3  12.981748   2048        8K  6.756  38.7               -     67.12    no  dp128 tp8 
days                           80.64             expected, failures and checkpoints included
goodput                        90.16 %           training over all of it
  assumed: tokens 1.56e+13: [dubey2024] section 1; failures as of llama3: [dubey2024] Table 5;
  4.916 USD per GPU-hour, reserved of 2024-12-01: AWS EC2 Capacity Blocks for ML, p5.48xlarge,
  39.33 USD for eight; with no spare node left it goes on with 16256 GPUs at 100.0 % of its pace

days                           72.71             expected, failures and checkpoints included
Best plan
rank    step  tokens/s/GPU    MFU  memory  fits in   days  cost in USD
           s                    %     GiB        %                   K
   1  3.3123        9892.7  51.46    63.2       79  18.88       72.226
days                           18.88             expected, failures and checkpoints included
Its phases
phase      tokens  batch  sequence   step   MFU  change of plan   days  fits  plan
                B                       s     %               s
    1  100.000000     64        4K  0.430  46.5               -  1.940   yes  dp16 tp4 mbs4 gbs64 se
    2  400.000000    128        8K  1.678  50.8             748  7.586   yes  dp64 gbs128 zero2 grad
    3  500.000000    256        8K  3.312  51.5               -  9.350   yes  dp64 gbs256 zero2 grad

  assumed: failures as of llama3: [dubey2024] Table 5; 2.49 USD per GPU-hour,
The whole run
plan   days  goodput  GPU-hours  cost in USD  energy in kWh
                   %          K            K              K
A     231.0    99.44     44.344      110.416         36.942
B     187.9    99.44     36.080       89.839         32.129
2
2
2
2
2
2
2
2
1
energy in kWh                  44.399 M          boards at the load of the step, times factors for hosts, network and cooling (--prices)
2
2
2
2
2
2
it goes on with 56 GPUs
A  tp4 zero1 gbs256 sp: 4.416 s per step, 25.30 GiB
  plan: dp16 tp4 gbs256 sp zero1
=== stderr
reckon: --phases: they have 3.00025e+12 tokens, the run has 1e+12: let them add up, or give one phase the "rest"
reckon: --phases: two phases have the rest
reckon: --phases: "x": "x" is not a number: write a number such as 60, 3e-4 or 1.5T; a phase begins with its tokens, 252M, or "rest"
reckon: --phases: the value is empty
reckon: --phases: a phase without tokens
reckon: --phases: in a search a phase says its batch (gbs) and its sequence (seq); "tp" is found by the search
reckon: --phases: none has the batch 256 and the sequence that the search is about: give --batch and --sequence of one of them
reckon: --phases: 1e+12 of the run's 1e+12 tokens leave nothing for the "rest": give the other phases fewer
reckon: --phases: phase 1: gbs 2048: no multiple of 3 copies * microbatch 1: use 2046 or 2049
reckon: failures: no logbook "foo": one of llama3, opt-175b, bloom
reckon: failures: the logbook hosts has none of accelerators that a mean time between them could scale: name another
reckon: facts.json:1:12: energy: missing key "memory" (... while memory limits): add it
reckon: facts.json:1:72: prices[0].usd_per_hour: must be >= 0 and <= 1e+18, got -1
reckon: facts.json:1:2: unknown key "price"; did you mean "prices"?
reckon: --price is of a whole run: say on how many tokens, --tokens 15T or usual
reckon: --elastic is of a whole run: say on how many tokens, --tokens 15T or usual
reckon: --phases is of a whole run: say on how many tokens, --tokens 15T or usual
reckon: --failures is of a whole run: say on how many tokens, --tokens 15T or usual
reckon: --price: 1e300 is more than a million US dollars for an hour
reckon: --tokens is what the budget is to tell: leave it out
