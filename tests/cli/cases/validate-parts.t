# A cell that names a part of a package is read as that part, or refused: never as the whole.
head="id,source,model_name,layers,hidden,ffn,heads,kv_heads,seq,vocab,gated_mlp,gpu,gpus,gpus_per_node,tp,pp,dp,micro_batch,global_batch,precision,recompute,zero,metric_name,metric_value"
{
    echo "$head"
    i=0
    for gpu in "Max 1550" "Intel Max 1550 (one of two tiles, 64 GB)" "Max 1550 (two tiles)" "Ponte Vecchio, 1 stack" "MI250" "MI250 (one of two dies)" "MI250X (two GCDs)" \
        "MI250X" "AWS Trainium1" "Trainium (NeuronCore-v2)" "Trainium2" "Trainium2 (NeuronCore)" "TPU v5p" "TPU v5p TensorCore" "NVIDIA H100 Tensor Core GPU" "H100 MIG 3g.40gb" \
        "B200 (dual-die)" "B200 (one of two dies)" "Ascend 910C (1 die)" "MI300X (1 XCD)"; do
        i=$((i + 1))
        echo "r$i,made up,Llama 7B,32,4096,11008,32,32,4096,32000,1,\"$gpu\",64,8,8,1,8,1,64,bf16,full,1,tokens_per_s_per_gpu,1000"
    done
} >parts.csv
reckon validate parts.csv --rows -f csv | python3 -c 'import csv, sys
for row in csv.DictReader(sys.stdin):
    print(row["gpu"], "-", row["predicted"] or row["reason"], sep=" ")'
=== stdout
Max 1550 - 1282
Max 1550 (one of two tiles, 64 GB) - 904.2
Max 1550 (two tiles) - 1282
Ponte Vecchio, 1 stack - 904.2
MI250 - 1436
MI250 (one of two dies) - 876.9
MI250X (two GCDs) - 1436
MI250X - 876.9
Trainium1 - 1170
Trainium (NeuronCore-v2) - 703.3
Trainium2 - 3368
Trainium2 (NeuronCore) - a part of a device (NeuronCore), which the catalog has not
TPU v5p - 3832
TPU v5p TensorCore - a part of a device (core), which the catalog has not
H100 Tensor Core GPU - 3577
H100 MIG 3g.40gb - a part of a device (MIG), which the catalog has not
B200 (dual-die) - 4872
B200 (one of two dies) - a part of a device (die), which the catalog has not
Ascend 910C (1 die) - a part of a device (die), which the catalog has not
MI300X (1 XCD) - a part of a device (XCD), which the catalog has not
