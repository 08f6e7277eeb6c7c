# words that inference has no use for, plans that it cannot time, tables that are wrong
for words in "zero1" "gbs64" "sp" "offload-weights" "shard=4" "capacity-padded" "cp2" "tp3" "ep2 etp1" "vpp2" "optimizer=muon" "defer-wgrad=2" "checkpoint-sharded"; do
    reckon serve -m llama2-7b -s h100-sxm5-80g -g 8 $words; echo "exit $?"
done
reckon serve -m llama2-7b -s h100-sxm5-80g --batch 0; echo "exit $?"
reckon serve -m llama2-7b -s h100-sxm5-80g --batch 5..7; echo "exit $?"
reckon serve -m llama2-70b -s a100-sxm4-40g pp4 first-layers=14 last-layers=26 | head -1
printf 'id,source,model,system,plan,prompt,generated,batch,cache_bits,cache_split,heads_apart,figure\n' >short.csv
reckon serve --measured short.csv; echo "exit $?"
head=id,source,model,system,plan,prompt,generated,batch,cache_bits,cache_split,heads_apart,figure,value
printf '%s\na,s,llama2-7b,h100-sxm5-80g,tp1,12,x,1,16,0,0,token_s,1\n' $head >number.csv
reckon serve --measured number.csv; echo "exit $?"
printf '%s\na,s,llama2-7b,h100-sxm5-80g,tp1,12,1,1,16,0,0,tokens,1\n' $head >figure.csv
reckon serve --measured figure.csv; echo "exit $?"
printf '%s\na,s,llama2-7b,h100-sxm5-80g,tp1 warp9,12,1,1,16,0,0,token_s,1\n' $head >words.csv
reckon serve --measured words.csv; echo "exit $?"
=== stdout
cannot run: ZeRO 1 and 2 of inference
  llama2-7b on h100-sxm5-80g, 8 GPUs, inference: prompts of 2K tokens, 128 generated
  assumed: precision bf16, cuda-graphs (decoding steps are captured), attention flash3
exit 1
exit 2
exit 2
exit 2
exit 2
exit 2
cannot run: context parallelism of inference
  llama2-7b on h100-sxm5-80g, 8 GPUs, inference: prompts of 2K tokens, 128 generated
  assumed: precision bf16, cuda-graphs (decoding steps are captured), attention flash3
exit 1
exit 2
cannot run: expert 2: expert parallelism of a model without experts: leave ep out
  llama2-7b on h100-sxm5-80g, 8 GPUs, inference: prompts of 2K tokens, 128 generated
  assumed: precision bf16, cuda-graphs (decoding steps are captured), attention flash3
exit 1
exit 2
exit 2
exit 2
exit 2
exit 2
exit 2
does not fit: memory tier 0 (HBM2) needs 45.20 GiB on stage 3, has 39.50 GiB: 5.705 GiB too little
exit 3
exit 3
exit 3
exit 2
=== stderr
reckon: the plan says batch, which reckon serve has no use for (--batch N are the sequences): leave it out
reckon: the plan says sequence_parallel, which reckon serve has no use for (a pass of decoding has no sequence to split): leave it out
reckon: the plan says weight_offload, which reckon serve has no use for (all of it is in memory tier 0): leave it out
reckon: the plan says shard_ranks, which reckon serve has no use for (weights are gathered whole, overlapped with the layer before, if zero3): leave it out
reckon: the plan says capacity_padded, which reckon serve has no use for (experts take all tokens that come): leave it out
reckon: --gpus: 8 GPUs are not a multiple of tensor 3 * pipeline 1 = 3: use 6 or 9
reckon: the plan says chunks, which reckon serve has no use for (a pass goes through the stages once): leave it out
reckon: the plan says optimizer, which reckon serve has no use for (nothing is trained): leave it out
reckon: the plan says deferred_wgrad, which reckon serve has no use for (nothing is trained): leave it out
reckon: the plan says checkpoint_sharded, which reckon serve has no use for (nothing is trained): leave it out
reckon: --batch: 0 is too small: give at least 1
reckon: --batch: no power of two is in the range: give numbers with commas between
reckon: short.csv:1: no column "value": the first line must name the columns of figures of inference, reckon-serve(1) lists them
reckon: number.csv:2: generated: "x" is not a number of at least 1
reckon: figure.csv:2: figure: "tokens" is none of first_token_s, prefill_s, token_s, generated_per_s
reckon: words.csv:2: unknown word "warp9": there are tp, pp, cp, ep, dp, mbs, gbs, zero, sp, recompute and others, see reckon-plan(5)
