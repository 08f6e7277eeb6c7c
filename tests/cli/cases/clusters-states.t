# searches over several clusters: a state of any question goes on to the same answer, lists and ranges of an axis
two="h100-sxm5-80g x16 name=new price=2.5 + a100-sxm4-80g x16 name=old price=1.5 link=100Gb/s@50us"
ask() { reckon search -q -m llama3.1-8b -b 64 -s "$two" "$@"; }
rows() { sed -n '/^   [0-9 ]*[0-9]  [0-9]/p' | cut -c 1-150; }
echo "== a state of every question goes on to the same answer"
for question in "-k 3" "--sort step_usd -k 3" "--pareto time,step_usd" "--tensor 2,4 --launchable"; do
    ask $question >whole
    for limit in 0.05 0.2; do timeout -s INT $limit reckon search -q -m llama3.1-8b -b 64 -s "$two" $question --state s >part 2>/dev/null; done
    ask $question --state s | cmp - whole && echo "same: $question"
    ls s 2>/dev/null
done
ask --state s -k 1 >/dev/null
echo "== lists and ranges of an axis: each stage has one of the values"
degrees() { grep -o -e "$1[0-9]*" | sort -u | tr '\n' ' '; echo; }
ask --tensor 2,4 -k 50 >told; rows <told | sed 1q; degrees 'tp' <told
ask --data 4..8 -k 50 >told; rows <told | sed 1q; sed -n '/^Best/,/^$/p' told | degrees '\bdp'
ask --context 1 --microbatch 2 -k 50 >told; rows <told | sed 1q; sed -n '/^Best/,/^$/p' told | degrees 'mbs'
ask --recompute selective,full -k 50 >told; rows <told | sed 1q; sed -n '/^Best/,/^$/p' told | grep '^ *[0-9]' | grep -v USD | grep -vc recompute
ask --tensor 3,5; echo "exit $?"
=== stdout
== a state of every question goes on to the same answer
same: -k 3
same: --sort step_usd -k 3
same: --pareto time,step_usd
same: --tensor 2,4 --launchable
== lists and ranges of an axis: each stage has one of the values
   1  2.7266        6009.0  47.53    33.4         32       0.04847  gbs64 round4; old: 4,5 layers tp4 dp4 mbs1; new: 11,12 layers tp2 cp2 dp4 mbs1
tp tp2 tp4 
   1  2.7192        6025.2  47.66    60.5         32       0.04834  gbs64 round8; old: 4,5 layers tp2 dp8 mbs1; new: 11,12 layers tp1 cp2 dp8 mbs1
dp4 dp8 
   1  2.8206        5808.7  45.95    52.8         32       0.05014  gbs64 round8; new: 13,13 layers tp4 dp4 mbs2; old: 3,3 layers tp4 dp4 mbs2
mbs2 
   1  2.8190        5812.0  45.97    33.4         32       0.05012  gbs64 round4; old: 4,5 layers tp4 dp4 mbs1 recompute=selective; new: 11,12 layers 
1
llama3.1-8b on h100-sxm5-80g x16 name=new price=2.5 + a100-sxm4-80g x16 name=old price=1.5 link=100Gb/s@50us, 32 GPUs, batch 64 of 8K tokens, megatron, bf16, detailed model
  0 plans simulated, the best of 0 exactly solved problems and what lies near them
  no plan fits that keeps to all that is asked of its stages: 0 were simulated; leave a condition or a value out
exit 1
