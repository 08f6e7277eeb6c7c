# the best layouts, within limits; the first one by itself gives the same figures; what cannot be asked together
reckon serve -m mixtral-8x7b -s h100-sxm5-80g -g 8 --search --token-ms 20 --top 3
reckon serve -m mixtral-8x7b -s h100-sxm5-80g -g 8 --search --token-ms 20 --format csv --top 64 >all.csv
head -2 all.csv | tail -1 | cut -d, -f6,9
reckon serve -m mixtral-8x7b -s h100-sxm5-80g $(head -2 all.csv | tail -1 | cut -d, -f13) --batch $(head -2 all.csv | tail -1 | cut -d, -f6) \
    --format csv | tail -1 | cut -d, -f1,6
# no layout by hand is better
for plan in "tp8" "tp4" "tp2" "tp1" "tp8 ep8 etp1" "tp2 ep8 etp1" "tp1 ep8 etp1" "tp1 ep4 etp1" "tp2 pp2" "tp1 pp8"; do
    reckon serve -m mixtral-8x7b -s h100-sxm5-80g -g 8 $plan --batch 8,16,32,64,128,256,512,1024 --format csv |
        awk -F, -v best="$(head -2 all.csv | tail -1 | cut -d, -f9)" -v plan="$plan" \
        '$9 == "fits" && $4 < 0.02 && $6 > best { print plan ", batch " $1 ": " $6 " beats " best }'
done
reckon serve -m llama3.1-405b -s h100-sxm5-80g -g 8 --search; echo "exit $?"
for words in "tp4 --search" "--search --batch 4" "--token-ms 5" "zero3 --search"; do
    reckon serve -m llama2-7b -s h100-sxm5-80g -g 8 $words; echo "exit $?"
done
=== stdout
best layout fits: P(fits) 98 %, 512 sequences at a time, 7830 tokens/s (978.7 per GPU), 13.55 ms per token, 106.5 ms to the first of one prompt, memory 33.4 of 79.2 GiB
  mixtral-8x7b on h100-sxm5-80g, 8 GPUs, inference: prompts of 2K tokens, 128 generated
  assumed: precision bf16, cuda-graphs (decoding steps are captured), attention flash3

Best layouts
rank  tensor  pipeline  data  experts  batch  first token   token  tokens/s  ... per GPU  memory  fits in  plan
                                                       ms      ms                            GiB        %
   1       1         1     8        8    512      106.466  13.548    7829.8       978.73    33.4       98  gpus8 tp1 pp1 ep8 etp1
   2       2         1     4        8    512       59.889  14.048    7268.1       908.52    31.3       99  gpus8 tp2 pp1 ep8 etp1
   3       1         2     4        4    512      107.709  17.629    7137.5       892.19    31.9       99  gpus8 tp1 pp2 ep4 etp1
512,7829.832704930521
512,7829.832704930521
no layout fits, or is within the limits: give more GPUs, or longer limits
  llama3.1-405b on h100-sxm5-80g, 8 GPUs, inference: prompts of 2K tokens, 128 generated
  assumed: precision bf16, cuda-graphs (decoding steps are captured), attention flash3
exit 1
exit 2
exit 2
exit 2
exit 2
=== stderr
reckon: --search chooses tensor itself: leave it out of the plan
reckon: --search chooses the batch: leave --batch out
reckon: --first-ms, --token-ms, --top and --headroom go with --search: add it
reckon: --search chooses zero itself: leave it out of the plan
