# A network of another rate is one thing: the step that predict says of a quarter of it is that of a system with it.
plan='-m llama-13b -g 64 tp2 pp1 zero1 gbs512 seq2048 attention=flash grad-overlap weight-overlap'
reckon predict -s a100-sxm4-80g $plan | grep -o 'a quarter of it the step takes [0-9.]* s'
reckon predict -s 'a100-sxm4-80g net1=6.25GB/s' $plan | grep -o '[0-9.]* s per step'
=== stdout
a quarter of it the step takes 9.495 s
9.495 s per step
