# Two steps, 1 to 21 s of device 0, so 10 s each: products 10 of 20 s, attention 1, other kernels and a copy 4; of the reduction,
# 10 to 13 s, one second has nothing beside it; nothing runs from 15 to 19 s. Of another device nothing counts.
cat >trace.json <<'END'
{"schemaVersion": 1, "traceEvents": [
 {"ph": "X", "cat": "user_annotation", "name": "ProfilerStep#3", "ts": 0, "dur": 9000000, "pid": 1, "tid": 1},
 {"ph": "X", "cat": "user_annotation", "name": "ProfilerStep#4", "ts": 9000000, "dur": 9000000, "pid": 1, "tid": 1},
 {"ph": "X", "cat": "cpu_op", "name": "aten::mm", "ts": 0, "dur": 50, "pid": 1, "tid": 1},
 {"ph": "X", "cat": "kernel", "name": "nvjet_hsh_256x128_64x4_1x2_h_bz_coopA_TNT", "ts": 1000000, "dur": 10000000, "pid": 0, "tid": 7},
 {"ph": "X", "cat": "kernel", "name": "flash_fwd_kernel", "ts": 11000000, "dur": 1000000, "pid": 0, "tid": 7},
 {"ph": "X", "cat": "kernel", "name": "void at::native::vectorized_elementwise_kernel<4>", "ts": 13000000, "dur": 2000000, "pid": 0, "tid": 7},
 {"ph": "X", "cat": "kernel", "name": "ncclDevKernel_ReduceScatter_Sum_bf16_RING_LL", "ts": 10000000, "dur": 3000000, "pid": 0, "tid": 20},
 {"ph": "X", "cat": "gpu_memcpy", "name": "Memcpy DtoD", "ts": 19000000, "dur": 2000000, "pid": 0, "tid": 7},
 {"ph": "X", "cat": "kernel", "name": "sm90_xmma_gemm", "ts": 1000000, "dur": 90000000, "pid": 1, "tid": 7}
]}
END
reckon doctor trace.json -m llama3.1-8b -s h100-sxm5-80g --gpus 8 tp2 zero1 gbs32 sp --format csv >answer || exit
cat answer
echo "--- no kernels, no JSON, and as a log for calibrate"
echo '{"traceEvents": []}' >empty.json
echo '{"traceEvents": [' >cut.json
for file in empty.json cut.json; do
    reckon doctor $file -m llama3.1-8b -s h100-sxm5-80g --gpus 8 gbs32
    echo "exit $?"
done
=== stdout
part,profile_s,predicted_s,lost_percent
matrix products,5,2.4780840529240318,25.219159470759685
attention,0.5,0.4944413525911266,0.05558647408873407
"norms, activations, optimizer, copies",2,0.2739194429959294,17.260805570040706
exposed communication,0.5,0.41076949148521236,0.8923050851478764
GPU idle: host or pipeline,2,0.01406204474139018,19.8593795525861

if,step_s,measured_over,look_at
scores of attention in memory,5.678564409847976,1.761008465917483,"whether a fused kernel takes the run's mask, bias and head width"
all layers are recomputed,4.77414232684347,2.0946170673993545,the run's recomputation setting
links within the node at a quarter,4.645010447971304,2.1528476872140243,"nccl-tests on one node; NVLink state, peer access"
products at 0.8 of their rate,4.290797397968698,2.330569139604235,"clocks, power limit and temperature under load (nvidia-smi -q -d CLOCK,POWER)"
"norms, activation and loss one kernel each step",4.217446809009061,2.3711028147737605,torch.compile or fused kernels
attention is FlashAttention-2,4.001309864006515,2.4991816029931235,"which kernel runs, in a profile"
--- no kernels, no JSON, and as a log for calibrate
exit 3
exit 3
=== stderr
reckon: empty.json: no kernels in this trace: profile with ProfilerActivity.CUDA, and export_chrome_trace()
reckon: cut.json:2: not JSON: ']' expected near end of file
