reckon calibrate
reckon calibrate h200-sxm-141g
reckon calibrate h200-sxm-141g --gemm nowhere.csv
printf 'm,n,time_s\n' >a.csv; reckon calibrate h200-sxm-141g --gemm a.csv
printf 'm,n,k\n' >a.csv; reckon calibrate h200-sxm-141g --gemm a.csv
printf 'm,n,k,time_s\n' >a.csv; reckon calibrate h200-sxm-141g --gemm a.csv
printf 'm,n,k,time_s\n8,8,8\n' >a.csv; reckon calibrate h200-sxm-141g --gemm a.csv
printf 'm,n,k,time_s\n8,8,eight,1e-3\n' >a.csv; reckon calibrate h200-sxm-141g --gemm a.csv
printf 'm,n,k,time_s\n8,8,8,0\n' >a.csv; reckon calibrate h200-sxm-141g --gemm a.csv
printf 'm,n,k,time_s,datatype\n8,8,8,1,int7\n' >a.csv; reckon calibrate h200-sxm-141g --gemm a.csv
printf 'm,n,k,time_s\n8,8,8,1e-6\n' >a.csv; reckon calibrate h200-sxm-141g --gemm a.csv
printf 'm,n,k,time_s,datatype\n8,8,8,1,fp4\n8,8,9,1,fp4\n8,8,10,1,fp4\n8,8,11,1,fp4\n' >a.csv; reckon calibrate h200-sxm-141g --gemm a.csv
echo 'hello' >a.txt; reckon calibrate h200-sxm-141g --nccl a.txt
echo '1024 256 float sum -1 10 1 1 0' >a.txt; reckon calibrate h200-sxm-141g --nccl a.txt
reckon calibrate h200-sxm-141g --nccl a.txt --collective all_reduce
reckon calibrate h200-sxm-141g --nccl a.txt --collective broadcast --ranks 8
echo '1024 256 float sum' >a.txt; reckon calibrate h200-sxm-141g --nccl a.txt --collective all_reduce --ranks 8
echo '{"results": 3}' >a.txt; reckon calibrate h200-sxm-141g --nccl a.txt --collective all_reduce --ranks 8
=== stdout
=== stderr
reckon: SYSTEM is missing: System to start from: an id of the catalog, a file, - or a description in one line; reckon calibrate --help says more
reckon: calibrate: no measurements: give --gemm FILE, --nccl FILE, --runs FILE, --galvatron FILE or --log FILE
reckon: nowhere.csv: cannot open: No such file or directory; check the path
reckon: a.csv:1:1: no column "k": the first line must name m, n, k and time_s, time_ms, time_us or tflops
reckon: a.csv:1:1: no column "time_s", "time_ms", "time_us" or "tflops": add one
reckon: a.csv:1:1: no products: expected lines after the first one
reckon: a.csv:2:1: 3 values, where the first line names 4 columns
reckon: a.csv:2:1: k: must be a number above 0, got "eight"
reckon: a.csv:2:1: time_s: must be a number above 0, got "0"
reckon: a.csv:2:1: datatype: must be bfloat16, float16, float8, float4, tfloat32 or float32, got "int7"
reckon: 1 measurement of products: a fit needs 4 or more
reckon: 4-bit products: the system has no such engine, or a network that takes no time; choose a system that has it
reckon: a.txt: no times: expected the output of nccl-tests, or the JSON of its -J
reckon: a.txt: does not say which collective it is: name it with --collective all_reduce, reduce_scatter, all_gather, alltoall or sendrecv
reckon: a.txt: lists no devices, or only one: say how many there were with --ranks
reckon: a.txt: does not say which collective it is: name it with --collective all_reduce, reduce_scatter, all_gather, alltoall or sendrecv
reckon: a.txt:1:1: 4 columns: expected those of nccl-tests, 7 to 9 or 11 to 13
reckon: a.txt:1:1: no list "results": expected what nccl-tests -J writes
=== exit 3
