# lengths of samples in files of trainers: a comment that is read back, and samples that are sorted
w="framework=fsdp lora16 recompute=full seq4096"
for f in axolotl llama-factory trl torchtune; do reckon export $f -m llama3.1-8b -s h100-sxm5-80g --gpus 1 $w gbs1 packed=700 -o x.yaml 2>/dev/null; grep "# reckon\|^ *pack.*e\|sample_pack" x.yaml; reckon import $(test $f = trl && echo trainer || echo $f) x.yaml -m llama3.1-8b --gpus 1 $(test $f = trl && echo --set use_peft=true) 2>/dev/null | grep -o "packed=[0-9]*"; done
reckon export axolotl -m llama3.1-8b -s h100-sxm5-80g --gpus 1 $w gbs4 mbs4 padded=1100 length-grouped -o y.yaml 2>/dev/null; grep "# reckon\|group_by" y.yaml
reckon import axolotl y.yaml -m llama3.1-8b --gpus 1 2>/dev/null | grep -o "padded=[0-9]*\|length-grouped"
reckon predict -m llama3.1-8b -s h100-sxm5-80g --gpus 1 $w gbs4 mbs4 length-grouped --lengths 600:4096 | grep -o "padded=[0-9]*\|sorted by length"
sed 's/padded=.*/padded=9000/' y.yaml >old.yaml; reckon import axolotl old.yaml -m llama3.1-8b --gpus 1
sed 's/padded=.*/packed=4096/' y.yaml >old.yaml; reckon import axolotl old.yaml -m llama3.1-8b --gpus 1
=== stdout
# reckon: packed=700
sample_packing: true
packed=700
# reckon: packed=700
packing: true
packed=700
# reckon: packed=700
packing: true
packed=700
# reckon: packed=700
  packed: true
packed=700
# reckon: padded=1100
group_by_length: true
padded=1100
length-grouped
padded=619
=== stderr
reckon: old.yaml:4: the comment "# reckon: padded=9000" says more tokens than the 4096 that there is room for: correct it, or leave it out
reckon: old.yaml:4: the comment "# reckon: packed=4096" says more tokens than the 4095 that there is room for: correct it, or leave it out
=== exit 3
