reckon program -m gpt2-124m -s a100-sxm4-80g -g 4 tp2 pp2 gbs2 sp zero1 --rank 2 | sed -n '1,3p;20,34p;1238,1245p' | cut -c1-300
=== stdout
run program stream=gpu rank=2 ranks=4 stage=1 layers=12 predict=0 microbatches=2
alloc w.6 stream=gpu layer=6 shape=3546240x1 dtype=bf16 bytes=7092480
alloc g.6 stream=gpu layer=6 shape=3546240x1 dtype=fp32 bytes=14184960
alloc w.head stream=gpu layer=head shape=19300608x1 dtype=bf16 bytes=38601216
alloc g.head stream=gpu layer=head shape=19300608x1 dtype=fp32 bytes=77202432
alloc o.head stream=gpu layer=head shape=19300608x12 dtype=u8 bytes=231607296
alloc x.6.0 stream=recv-next layer=6 mb=0 shape=512x768 dtype=bf16 bytes=786432
recv 0 bf16 393216 tag=0 stream=recv-next writes=x.6.0 pass=forward layer=6 mb=0 op=0 name=receive
record e0 stream=recv-next
wait e0 stream=gpu
alloc attention_norm.6.0 stream=gpu layer=6 mb=0 shape=512x768 dtype=bf16 bytes=786432
run attention_norm stream=gpu reads=x.6.0,w.6 writes=attention_norm.6.0 pass=forward layer=6 mb=0 op=1 name=attention_norm kind=block access=1572864 working=1572864 parameters=1536 keeps=1572864 hold=norms s=2.87657943e-06
alloc attention_gather.6.0 stream=gpu layer=6 mb=0 shape=1024x768 dtype=bf16 bytes=1572864
all_gather 2,3 bf16 786432 stream=gpu reads=attention_norm.6.0 writes=attention_gather.6.0 pass=forward layer=6 mb=0 over=tensor op=2 name=attention_gather kind=block sent=786432 working=3145728 s=2.38100002e-05 link=2.38100002e-05
alloc query_key_value.6.0 stream=gpu layer=6 mb=0 shape=1024x1152 dtype=bf16 bytes=2359296
run query_key_value stream=gpu reads=attention_gather.6.0,w.6 writes=query_key_value.6.0 pass=forward layer=6 mb=0 op=3 name=query_key_value kind=block product=1x1024x1152x768 flop=1811939328 useful=1811939328 access=5701632 working=1572864 parameters=885888 keeps=2359296 hold=attention s=1.95176449
free attention_gather.6.0 stream=gpu
alloc r:attention_sums.6.0 stream=gpu layer=6 mb=0 shape=1024x24 dtype=u8 bytes=24576
all_gather 2,3 bf16 786432 stream=gpu reads=d:mlp_reduce.6.1 writes=d:mlp_out.6.1 pass=input layer=6 mb=1 over=tensor op=28 name=mlp_reduce kind=block sent=786432 s=2.38100002e-05 link=2.38100002e-05
free d:mlp_reduce.6.1 stream=gpu
alloc d:activation.6.1 stream=gpu layer=6 mb=1 shape=1024x1536 dtype=bf16 bytes=3145728
run mlp_out stream=gpu reads=d:mlp_out.6.1,w.6 writes=d:activation.6.1 pass=input layer=6 mb=1 op=29 name=mlp_out kind=block product=1x1024x768x1536 flop=2415919104 access=7077888 working=4718592 s=1.95176449e-05
run mlp_out stream=gpu reads=d:mlp_out.6.1,activation.6.1,g.6 writes=g.6 pass=weight layer=6 mb=1 op=30 name=mlp_out kind=block product=1x1024x768x1536 flop=2415919104 access=7077888 working=4718592 s=2.38973066e-05
free d:mlp_out.6.1 stream=gpu
free activation.6.1 stream=gpu
alloc d:mlp_in.6.1 stream=gpu layer=6 mb=1 shape=1024x1536 dtype=bf16 bytes=3145728
