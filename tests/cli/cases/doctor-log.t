for i in 1 2 3 4 5 6 7 8 9 10; do
    echo "iteration $i/ 10 | consumed samples: 32 | elapsed time per iteration (ms): 9${i}00.0 | global batch size: 32 |"
done >train.log
reckon doctor train.log -m llama3.1-8b -s h100-sxm5-80g --gpus 8 tp2 zero1 gbs32 sp >answer || exit
grep -E '^  measured|^Possible explanations' answer
=== stdout
  measured: 9.600 s per step (9 steps of Megatron-LM after the warm-up, 80 % of them 9.200 s to 91 s)
