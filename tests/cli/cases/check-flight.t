ln -s "$SOURCE/tests/data/cases/check-flight/dump" dump; reckon check --flight dump; echo $?; echo "{}" >empty_0; reckon check --flight empty_0; echo "[1" >broken_0; reckon check --flight broken_0
=== stdout
dump/nccl_trace_rank_2: error 7.deadlock: all_reduce 6 of 0: never comes on rank 2, and ranks 0,1,3 wait in it; it waits in _all_gather_base 1 of 1
dump/nccl_trace_rank_3: error 7.deadlock: _all_gather_base 1 of 1: never comes on rank 3, and ranks 2 wait in it; it waits in all_reduce 6 of 0
logs of 4 ranks: 2 errors
1
logs of 1 ranks: nothing found
=== stderr
reckon: broken_0:2:1: the text ends in the middle of a value: is the file complete?
=== exit 3
