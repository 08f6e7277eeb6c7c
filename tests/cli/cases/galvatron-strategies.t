reckon galvatron strategies -g 4
for gpus in 2 4 8 16 32 64; do echo "$gpus: $(reckon galvatron strategies -g $gpus | wc -l) $(reckon galvatron strategies -g $gpus --tree | tail -1)"; done
reckon galvatron strategies -g 6
=== stdout
1-1-4
1-1-4-c
1-1-4f
1-1-4f-c
1-2*-2-sp
1-2*-2-c-sp
1-2*-2f-sp
1-2*-2f-c-sp
1-4*-1-sp
1-4*-1-c-sp
1-2*-2
1-2*-2-c
1-2*-2f
1-2*-2f-c
1-4*-1
1-4*-1-c
2-1-2
2-1-2-c
2-1-2f
2-1-2f-c
2-2*-1-sp
2-2*-1-c-sp
2-2*-1
2-2*-1-c
4-1-1
4-1-1-c
2: 10 4 leaves, of 4 without pruning, 8 with recomputation
4: 26 11 leaves, of 13 without pruning, 22 with recomputation
8: 50 22 leaves, of 34 without pruning, 44 with recomputation
16: 76 37 leaves, of 73 without pruning, 74 with recomputation
32: 96 56 leaves, of 136 without pruning, 112 with recomputation
64: 108 79 leaves, of 229 without pruning, 158 with recomputation
=== stderr
reckon: --gpus: give a power of two
=== exit 2
