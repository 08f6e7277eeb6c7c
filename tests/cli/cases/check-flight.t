ln -s "$SOURCE/tests/data/cases/check-flight/dump" dump; reckon check --flight dump; echo $?; echo "{}" >empty_0; reckon check --flight empty_0; echo "[1" >broken_0; reckon check --flight broken_0; echo $?
# all have called it, and it ended on rank 0 alone: the others are named
mkdir stuck; for r in 0 1 2 3; do cp dump/nccl_trace_rank_0 stuck/nccl_trace_rank_$r; done
sed 's/"started"/"completed"/' dump/nccl_trace_rank_0 >stuck/nccl_trace_rank_0
reckon check --flight stuck
for r in 1 2 3; do cp stuck/nccl_trace_rank_0 stuck/nccl_trace_rank_$r; done; cp dump/nccl_trace_rank_0 stuck/nccl_trace_rank_2
reckon check --flight stuck
=== stdout
dump/nccl_trace_rank_2: error 7.deadlock: all_reduce 6 of 0: never comes on rank 2, and ranks 0,1,3 wait in it; it waits in _all_gather_base 1 of 1
dump/nccl_trace_rank_3: error 7.deadlock: _all_gather_base 1 of 1: never comes on rank 3, and ranks 2 wait in it; it waits in all_reduce 6 of 0
logs of 4 ranks: 2 errors
1
logs of 1 ranks: nothing found
3
stuck/nccl_trace_rank_1: error 7.deadlock: all_reduce 6 of 0: ranks 0,1,2,3 have called it, and it has not ended on ranks 1,2,3: a link, or a device
logs of 4 ranks: 1 error
stuck/nccl_trace_rank_2: error 7.deadlock: all_reduce 6 of 0: ranks 0,1,2,3 have called it, and it has not ended on rank 2: a link, or a device
logs of 4 ranks: 1 error
=== stderr
reckon: broken_0:2:1: the text ends in the middle of a value: is the file complete?
=== exit 1
