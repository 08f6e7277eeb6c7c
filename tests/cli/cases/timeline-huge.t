# 256 stages, 4,096 microbatches, 2 chunks: a window of the trace
reckon timeline -m multi-128t -s h100-80g-nvl8 --framework calculon --tensor 8 --pipeline 256 --data 1 --batch 4096 --chunks 2 --trace /dev/null | grep -E '^(schedule|step|trace|[0-9]+ stages)'
=== stdout
schedule interleaved: 256 stages of 2 chunks each, 4096 microbatches, 4194304 passes; messages charged
step: 17265.1 s simulated, 17265.1 s by the Calculon model: the same
trace: /dev/null, from 8503.92 s to 8761.18 s; --full writes all, --window another part
240 stages between them are left out: --format csv has all
