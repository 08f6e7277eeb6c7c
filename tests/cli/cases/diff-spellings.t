# search's script writes its stages one by one, the best plan in words: the same plan in two spellings
reckon search -q -m llama3.1-70b -s h100 -g 256 -b 512 --sequence 8192 --tokens 2T --save-script l.sh >/dev/null
reckon diff l.sh --best -s h100 | head -1
on='dp8 tp4 pp4 vpp8 cp2 gbs512 seq8192 sp zero1'
reckon diff -m llama3.1-70b -s h100 -g 256 "$on embedding-counts head-counts" "$on split=2,3*17,2*13,1" | head -1
reckon diff -m llama3.1-70b -s h100 -g 256 "$on embedding-counts head-counts" "$on split=3*17,2*14,1" | head -1
=== stdout
both fit: the plans are the same
both fit: the plans are the same
both fit: B takes 1.3 % more time than A, 16.98 s against 16.76 s per step, 0.987 times the throughput
