reckon budget -s h100 -g 512 --days 60 --cost 2M --price 2.49 -f csv | cut -d, -f1-2,7-12 | sed -n '1p;8,10p'
reckon budget -s h100 -g 512 --days 60 --cost 2M --price 2.49 | grep affordable:
reckon budget -s h100 -g 512 --days 30 -m llama3.1-8b --law llama3 --price 2 | grep affordable:
reckon budget -s h100 -g 8 --days 0.01 --price 2 | grep affordable:; echo $?
reckon budget -s h100 -g 512; echo $?
reckon budget -s h100 --days 3; echo $?
reckon budget -s tpu-v4 -g 64 --cost 3; echo $?
reckon budget -s h100 -g 64 --cost 1 -m llama3.1-8b --price 2 | grep affordable:
reckon budget -s h100 -g 64 --cost 1 -m llama3.1-8b --price 2 >/dev/null; echo $?
reckon budget -s h100 -g 64 --days 1e300 -m llama3.1-8b; echo $?
reckon budget -s h100 -g 64 --cost 1e16 -m llama3.1-8b; echo $?
# a machine that says how many it has
reckon budget "h100 x64 price=2" --days 5 -m llama3.1-8b -j 1 | grep -v '^64 h100' >said
reckon budget h100 -g 64 --price 2 --days 5 -m llama3.1-8b -j 1 | grep -v '^64 h100' | cmp - said && echo same
=== stdout
model,parameters,tokens,days,cost_usd,tokens_per_parameter,asked,affordable
60x7168,39416839168,5052421841883.408,60,1864512,128.1792743540214,788336783360,true
80x8192,68452360192,2888856178448.185,60,1864512.0000000002,42.20243349309385,1369047203840,true
88x10240,117190666240,1705439430295.7908,60,1864512.0000000002,14.55268994548717,2343813324800,false
the largest affordable: 80x8192, 68.5 billion parameters on 2.89 trillion tokens in 60 days and 1.865M USD with 1 spare node; fits: P(fits) 75 %, 7.362 s per step (50 % 6.906-8.835 s), MFU 50.5 %, memory 70.0 of 79.2 GiB
affordable: llama3.1-8b, 8.03 billion parameters on 12.4 trillion tokens in 30 days and 748.8k USD with 1 spare node; fits: P(fits) 80 %, 860.4 ms per step (50 % 0.8067-1.032 s), MFU 49.5 %, memory 61.5 of 79.2 GiB
not affordable: 16x2048 gets 368.0M tokens, the law asks for 18.12B, which take 0.4924 days and 189.1 USD; 512 GPUs suffice, 0.009995 days and 245.6 USD
0
2
2
2
not affordable: llama3.1-8b gets 17.52M tokens, the law asks for 160.6B, which take 2.984 days and 9.166k USD; more GPUs make it no cheaper
1
2
2
same
=== stderr
reckon: no budget: give --days, --cost or both
reckon: --gpus is missing: h100-sxm5-80g does not state a number: give --gpus 64, or --system "h100-sxm5-80g x64"
reckon: --cost: no price of tpu-v4 is known: give --price
reckon: --days: give at most 36525
reckon: --cost: give at most 1e+15
