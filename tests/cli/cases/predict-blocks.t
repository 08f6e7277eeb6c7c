# more stages than layers: the ends as blocks, fewer chunks, or fewer stages, and each remedy runs
on='reckon predict -m llama3.1-405b -s h100-sxm5-80g -g 16384 gbs2048 tp8 sp zero1'
for words in 'pp16 vpp8' 'pp16 vpp8 embedding-counts' 'pp64 vpp2' 'pp128 vpp2' 'pp128'; do $on $words | sed -n 1p; done
for words in 'pp16 vpp8 embedding-counts head-counts' 'pp16 vpp7' 'pp128 embedding-counts head-counts'; do $on $words | sed 's/:.*//; q'; done
=== stdout
cannot run: pipeline 16: 126 layers for 128 stages of all chunks: one has none: give embedding-counts head-counts
cannot run: pipeline 16: 126 layers for 128 stages of all chunks: one has none: give head-counts
cannot run: pipeline 64: 126 layers for 128 stages of all chunks: one has none: give embedding-counts head-counts
cannot run: pipeline 128: 126 layers for 256 stages of all chunks: one has none: use 126
cannot run: pipeline 128: 126 layers for 128 stages: one has none: give embedding-counts head-counts
does not fit
does not fit
unsure
