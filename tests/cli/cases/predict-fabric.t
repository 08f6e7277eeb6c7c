# Said where the assumed network between nodes decides; not where it does not, where it is said, or on one node.
for how in '-g 64 zero3 gbs64' '-g 64 zero3 gbs4096 grad-overlap weight-overlap' '-g 8 zero3 gbs64'; do
    reckon predict -m llama3.1-8b -s h100-sxm5-80g $how | grep -o 'the network matters: [0-9]* GB/s per GPU' || echo "nothing for $how"
done
reckon predict -m llama3.1-8b -s 'h100-sxm5-80g net1=100Gb/s' -g 64 zero3 gbs64 | grep 'the network decides' || echo "nothing where it is said"
=== stdout
the network matters: 50 GB/s per GPU
nothing for -g 64 zero3 gbs4096 grad-overlap weight-overlap
nothing for -g 8 zero3 gbs64
nothing where it is said
