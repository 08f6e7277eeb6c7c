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
reckon: --gpus: 64 is not a multiple of tensor 3 * context 1 * pipeline 1 = 3: change one of them
reckon: "pp4 ep3":1:5: ep: expert 3 * expert_tensor 1 does not divide the 16 ranks of a stage
reckon: PyTorch's runtime has each stage on one rank, and dualpipe on two: choose another schedule
