reckon search -m llama3.1-8b,mixtral-8x7b -s h100-sxm5-80g -g 8,16 -b 128 --tensor 1,2 --context 1 --zero 1,3 -q |
    sed -e 's/[0-9][0-9.,]*/N/g' -e 's/N .*gbsN.*/N plan/' -e 's/  */ /g'
reckon search -m llama3.1-8b -s h100-sxm5-80g -g 8,16 -b 128 --zero 1 --tensor 1 -q --save-plan plan.json
=== stdout
most tokens per second: llamaN-Nb, N GPUs; fits: P(fits) N %, N s per step (N % N-N s), MFU N %, memory N of N GiB
 plan: dpN plan
N models on hN-sxmN-Ng, detailed model: N of N problems have a plan
 assumed, where plans offload: host memory N of N GiB per node of N (the rest for the operating system) at N GB/s each, its processors at N GB/s together

Best plan of each problem
model GPUs plans fits step tokens/s/GPU MFU memory fits in best plan
 s % GiB %
llamaN-Nb N plan
llamaN-Nb N plan
mixtral-NxNb N plan
mixtral-NxNb N plan
=== stderr
reckon: --save-plan and --save-script take the best plan of one problem: give one model, system, size and batch
=== exit 2
