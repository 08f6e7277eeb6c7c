# the longest sequence over two clusters, whose plan is predicted the same; what does not go there
two="h100-sxm5-80g x4 hbm=20GiB name=new mem2=64GiB@50GB/s + a100-sxm4-80g x4 hbm=20GiB name=old mem2=32GiB@12GB/s link=100Gb/s@50us"
reckon longest llama3.2-1b "$two" --step 65536 --no-lengths -f json >found.json
field() { python3 -c "import json, sys; a = json.load(sys.stdin); print(eval(sys.argv[1]))" "$1"; }
field "[a['longest'][0][k] for k in ('gpus', 'tokens', 'next_tokens', 'limit', 'candidates')]" <found.json
words=$(field "a['longest'][0]['plan']" <found.json)
echo "$words"
field "'%.6f %.0f' % (a['longest'][0]['step_s'], a['longest'][0]['hbm_bytes'])" <found.json
reckon predict -m llama3.2-1b -s "$two" $words -f json | field "'%.6f %.0f' % (a['rates']['step_s'], a['figures']['hbm_bytes'])"
reckon longest llama3.2-1b "$two" -g 8; echo "exit $?"
reckon longest llama3.2-1b "$two" tp2; echo "exit $?"
=== stdout
[8, 196608, 262144, 'new: HBM3', 8]
pp2 vpp3 cp4 gbs16 seq196608 stages=1:4/dp1,1@1/dp1,4,1,5,1 messages-sharded zero3 grad-overlap weight-overlap loss-in-chunks offload-activations=0.2178862803860625 recompute-rest
75.853609 18479416689
75.853609 18479416689
exit 2
exit 2
=== stderr
reckon: --gpus does not go with several clusters: each says how many it has
reckon: the words say tensor, which reckon longest chooses itself (--gpus N are its GPUs): leave it out; reckon offload and fits take one plan
