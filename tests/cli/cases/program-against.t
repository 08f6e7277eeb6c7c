reckon program -m gpt2-124m -s a100-sxm4-80g -g 2 pp2 gbs2 --rank 0 -o a.log && reckon program --from a.log -o b.log && cmp a.log b.log && reckon program -m gpt2-124m -s a100-sxm4-80g -g 2 pp2 gbs2 --rank 0 --against a.log; echo $?; reckon program -m gpt2-124m -s a100-sxm4-80g -g 2 pp2 gbs6 schedule=gpipe --rank 0 --against a.log | cut -c1-100 | sed -n 1,6p; sed -i '40d' b.log; reckon program --from a.log --against b.log | cut -c1-100
=== stdout
0
+190: record e stream=gpu
+194: wait e stream=recv-next
+195: alloc d:output.5.0 stream=recv-next layer=5 mb=0 shape=1024x768 dtype=bf16 bytes=1572864
+196: recv 1 bf16 786432 tag=2 stream=recv-next writes=d:output.5.0 pass=input layer=5 mb=0 name=rec
+197: record e stream=recv-next
+366: record e stream=gpu
-39: run attention stream=gpu reads=query_key_value.0.0 writes=attention.0.0,r:attention_sums.0.0 pa
=== stderr
reckon: a.log: 1796 lines differ ('-': of the program asked for, '+': of this file)
reckon: b.log: 1 lines differ ('-': of the program asked for, '+': of this file)
