# where no plan that does not offload surely fits, the memory of the nodes is searched and what there is without it said; what is offloaded has a column; what no file says is not advised
# a saving is no reason to lose the answer that offloads
for words in '' loss-in-chunks; do
    reckon search qwen3-32b 'rtx4090 x2' -b 8 lora16 base=nf4-dq $words -q -v |
        sed -n 's/P(fits).*//; 1p; s/\(without offload[^:,]*\).*/\1/p; s/\(not in the default space: precision\).*/\1/p'
done
reckon search llama3.1-8b h100 -g 2 -b 256 -q | sed -n 's/P(fits).*//; 1p; s/\(without offload[^:]*\).*/\1/p'
reckon search llama3.1-8b h100 -g 1 -b 256 -q | grep -o 'offloaded.*\|optimizer-offload'
# fits looks at plans that split data alone, and says so
reckon fits qwen3-32b 'rtx4090 x2' lora16 base=nf4-dq | tr '\n' ' ' | grep -o '(of .* least memory)' | tr -s ' '
=== stdout
Best plan fits: 
  nothing in the space fits without offload; assumed
  not in the default space: cp2 fits without offload
Best plan fits: 
  without offload
  not in the default space: cp2 fits without offload
Best plan fits: 
  without offload
offloaded  fits in  microbatch  recompute      optimizer-offload
