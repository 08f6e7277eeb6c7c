for words in "tp3" "pp4 ep3" "pp2 schedule=dualpipe gbs128 --pytorch-csv schedule.csv"; do
    reckon timeline -m mixtral-8x7b -s h100-sxm5-80g -g 64 $words --trace trace.json
    echo "exit $?"
done
ls
=== stdout
exit 2
exit 2
exit 2
=== stderr
reckon: --gpus: 64 GPUs are not a multiple of tensor 3 * pipeline 1 = 3: use 63 or 66
reckon: "pp4 ep3":1:5: ep 3: pipeline 4 * expert 3 * expert tensor 1 = 12 does not divide 64 ranks: leave ep out of a model without experts; with them use a divisor of 16 that divides their number
reckon: PyTorch's runtime has each stage on one rank, and dualpipe on two: choose another schedule
