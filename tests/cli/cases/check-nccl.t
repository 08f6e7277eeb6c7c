ln -s "$SOURCE/tests/data/cases/check-nccl/log" log; reckon check --nccl log; grep -hv commId log/* >calls.log; reckon check --nccl calls.log; reckon check --nccl log/nccl.node1.100.log; echo nothing >none.log; reckon check --nccl none.log
=== stdout
log/nccl.node1.101.log:4: error 7.match: all_reduce 0,1 bf16 128: call 2 of the group is all_reduce 0,1 bf16 64 on 1 ranks, but not on 1
log/nccl.node1.100.log:5: error 7.deadlock: all_reduce 0,1 bf16 64: rank 0 5 waits in line 5 for all_reduce 0,1 bf16 64: it never comes on rank 1
logs of 2 ranks: 2 errors
calls.log:9: error 7.match: all_reduce 0,1 bf16 128: call 2 of the group is all_reduce 0,1 bf16 64 on 1 ranks, but not on 1
calls.log:4: error 7.deadlock: all_reduce 0,1 bf16 64: rank 0 5 waits in line 4 for all_reduce 0,1 bf16 64: it never comes on rank 1
logs of 2 ranks: 2 errors
note: 1 communicators: are passed over: not all of their ranks are told: log with NCCL_DEBUG_SUBSYS=INIT,COLL, and give the logs of all ranks
logs of 1 ranks: 1 note
=== stderr
reckon: none.log: has no calls of NCCL: log with NCCL_DEBUG=INFO and NCCL_DEBUG_SUBSYS=INIT,COLL
=== exit 3
