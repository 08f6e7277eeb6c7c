# below leaves the search chooses which ranks share one, and the launcher is told
reckon search -m llama3.1-70b -s "h100-sxm5-80g x256 leaf=64,over=16" -b 256 -q -k 1 | grep -o -E 'order [a-z-]*|order=[a-z-]*' | sort -u
reckon search -m llama3.1-70b -s "h100-sxm5-80g x256 leaf=64,over=16" -b 256 -q -k 1 --order tp-cp-dp-pp | grep -o -E 'order [a-z-]*'
reckon export megatron -m llama3.1-70b gpus256 dp8 tp2 pp8 vpp10 cp2 order=tp-cp-pp-dp gbs512 embedding-counts head-counts sp | grep -o -- '--use-tp-pp-dp-mapping'
for o in tp-cp-dp-pp tp-cp-pp-dp
do reckon predict -m llama3.1-70b -s "h100-sxm5-80g x256 leaf=32,over=8" dp16 tp4 pp4 vpp10 gbs512 sp tp-overlap zero1 grad-overlap weight-overlap order=$o | sed -n 1p; done
=== stdout
order tp-cp-pp-dp
order=tp-cp-pp-dp
order tp-cp-dp-pp
--use-tp-pp-dp-mapping
unsure: P(fits) 34 %, 15.36 s per step (50 % 14.41-18.44 s), MFU 48.4 %, memory 79.8 of 79.2 GiB on stage 0 of 0-3, 648.6 USD per 1B tokens
unsure: P(fits) 34 %, 16.50 s per step (50 % 15.41-20.06 s), MFU 45.1 %, memory 79.8 of 79.2 GiB on stage 0 of 0-3, 696.6 USD per 1B tokens
