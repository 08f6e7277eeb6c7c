reckon search --framework calculon -m gpt3-175b -s a100-80g-nvl8 --gpus 64 --batch 96 --top 1 -f csv --explain 2>text | cut -d, -f1-3
sed -e 's/[0-9][0-9.,]*/N/g' -e 's/  */ /g' text
=== stdout
rank,index,step_s
1,1488877,13.477789210500363
reckon: N plans evaluated in N s (N million/s); N s in all
pruned by plans share
 %
a check, for many at once N N
memory N N
a bound on the time of their group N N
evaluated N N
