# A run, the same again, a changed study, exports in every form.
# (a tool of clang's OpenMP that the thread sanitizer loads does not expect searches on many threads)
export OMP_TOOL=disabled
cp "$SOURCE/tests/data/cases/study/study.json" .
timeless() { sed 's/ evaluated in .*/ evaluated in .../'; }
reckon study study.json --dry-run 2>&1
reckon study study.json --jobs 1 2>&1 | timeless
reckon study study.json --jobs 2 2>&1 | timeless
ls
reckon study study.json -q --export csv
reckon study study.json -q --export json --figure second
sed 's/"8..16 x2"/[8, 12]/' "$SOURCE/tests/data/cases/study/study.json" >study.json
reckon study study.json 2>&1 | timeless
reckon study study.json -q --list
=== stdout
reckon: 16 points, 16 searches: 0 finished before, 16 to do
figure   points  finished  to do
first         8         0      8
second        4         0      4
nothing       4         0      4
reckon: 16 points, 16 searches: 0 finished before, 16 to do
reckon: 16 searches, 1,332,624 plans evaluated in ...
16 of 16 points are finished, 12 can run; highest MFU 60.5 %: m layers=12 on small mem2=32GiB@100GB/s, 8 GPUs
A miniature

figure   points  finished  can run      plans     fits
first         8         8        8  1,201,296  815,361
second        4         4        4    131,328   45,488
nothing       4         4        0          0        0

The best plan of each figure, by MFU
figure  model        system                    gpus  max batch  step s    MFU  memory  plan
                                                                    ms      %     GiB
first   m layers=12  small mem2=32GiB@100GB/s     8         24   38.44  60.48    3.94  framework=calculon precision=fp16 dp2 tp4 mbs12 gbs24 sp regather tp-overlap zero1 grad-overlap offload-optimizer=1 offload-weights=1 tp-net=0 pp-net=0 dp-net=1
second  m layers=10  small mem2=32GiB@100GB/s    20         24   17.57  44.18    0.49  framework=calculon precision=fp16 tp4 pp5 gbs24 sp regather tp-overlap tp-net=0 pp-net=1 dp-net=0
reckon: 16 points, 16 searches: 16 finished before, 0 to do
16 of 16 points are finished, 12 can run; highest MFU 60.5 %: m layers=12 on small mem2=32GiB@100GB/s, 8 GPUs
A miniature

figure   points  finished  can run      plans     fits
first         8         8        8  1,201,296  815,361
second        4         4        4    131,328   45,488
nothing       4         4        0          0        0

The best plan of each figure, by MFU
figure  model        system                    gpus  max batch  step s    MFU  memory  plan
                                                                    ms      %     GiB
first   m layers=12  small mem2=32GiB@100GB/s     8         24   38.44  60.48    3.94  framework=calculon precision=fp16 dp2 tp4 mbs12 gbs24 sp regather tp-overlap zero1 grad-overlap offload-optimizer=1 offload-weights=1 tp-net=0 pp-net=0 dp-net=1
second  m layers=10  small mem2=32GiB@100GB/s    20         24   17.57  44.18    0.49  framework=calculon precision=fp16 tp4 pp5 gbs24 sp regather tp-overlap tp-net=0 pp-net=1 dp-net=0
study.db
study.json
figure,point,model,system,gpus,max_batch,datatype,framework,sequence,strategies,fits,tensor,pipeline,data,microbatch,batch,step_ms,mfu_percent
first,1,m layers=10,small mem2=none,8,24,float16,calculon,1024,21648,15789,4,1,2,12,24,32.127,60.3
first,2,m layers=10,small mem2=none,16,24,float16,calculon,1024,25080,15666,4,1,4,6,24,18.696,51.81
first,3,m layers=10,small mem2=32GiB@100GB/s,8,24,float16,calculon,1024,149568,116642,4,1,2,12,24,32.127,60.3
first,4,m layers=10,small mem2=32GiB@100GB/s,16,24,float16,calculon,1024,173280,108432,4,1,4,6,24,18.696,51.81
first,5,m layers=12,small mem2=none,8,24,float16,calculon,1024,42064,28297,4,1,2,6,24,38.694,60.08
first,6,m layers=12,small mem2=none,16,24,float16,calculon,1024,63096,39402,4,1,4,6,24,22.24,52.26
first,7,m layers=12,small mem2=32GiB@100GB/s,8,24,float16,calculon,1024,290624,216875,4,1,2,12,24,38.439,60.48
first,8,m layers=12,small mem2=32GiB@100GB/s,16,24,float16,calculon,1024,435936,274258,4,1,4,6,24,22.24,52.26
second,1,m layers=10,small mem2=none,20,24,float16,calculon,1024,9024,4512,4,5,1,1,24,17.566,44.18
second,1,m layers=10,small mem2=none,20,24,float16,calculon,1024,9024,4512,4,5,1,1,24,17.566,44.18
second,1,m layers=10,small mem2=none,20,24,float16,calculon,1024,9024,4512,4,5,1,1,24,18.297,42.42
second,2,m layers=10,small mem2=32GiB@100GB/s,20,24,float16,calculon,1024,72192,15936,4,5,1,1,24,17.566,44.18
second,2,m layers=10,small mem2=32GiB@100GB/s,20,24,float16,calculon,1024,72192,15936,4,5,1,1,24,17.566,44.18
second,2,m layers=10,small mem2=32GiB@100GB/s,20,24,float16,calculon,1024,72192,15936,4,5,1,1,24,18.297,42.42
second,3,m layers=12,small mem2=none,20,24,float16,calculon,1024,5568,2776,4,1,5,4,20,19.014,40.75
second,3,m layers=12,small mem2=none,20,24,float16,calculon,1024,5568,2776,4,1,5,4,20,19.014,40.75
second,3,m layers=12,small mem2=none,20,24,float16,calculon,1024,5568,2776,4,1,5,4,20,19.419,39.92
second,4,m layers=12,small mem2=32GiB@100GB/s,20,24,float16,calculon,1024,44544,22264,4,1,5,4,20,19.014,40.75
second,4,m layers=12,small mem2=32GiB@100GB/s,20,24,float16,calculon,1024,44544,22264,4,1,5,4,20,19.014,40.75
second,4,m layers=12,small mem2=32GiB@100GB/s,20,24,float16,calculon,1024,44544,22264,4,1,5,4,20,19.014,40.75
nothing,1,m layers=10,small mem2=none,7,24,float16,calculon,1024,0,0,,,,,,,
nothing,2,m layers=10,small mem2=32GiB@100GB/s,7,24,float16,calculon,1024,0,0,,,,,,,
nothing,3,m layers=12,small mem2=none,7,24,float16,calculon,1024,0,0,,,,,,,
nothing,4,m layers=12,small mem2=32GiB@100GB/s,7,24,float16,calculon,1024,0,0,,,,,,,
{
  "rows": [
    {
      "figure": "second",
      "point": 1,
      "model": "m layers=10",
      "system": "small mem2=none",
      "gpus": 20,
      "max_batch": 24,
      "datatype": "float16",
      "framework": "calculon",
      "sequence": 1024,
      "strategies": 9024,
      "fits": 4512,
      "tensor": 4,
      "pipeline": 5,
      "data": 1,
      "microbatch": 1,
      "batch": 24,
      "step_ms": 17.566,
      "mfu_percent": 44.18
    },
    {
      "figure": "second",
      "point": 1,
      "model": "m layers=10",
      "system": "small mem2=none",
      "gpus": 20,
      "max_batch": 24,
      "datatype": "float16",
      "framework": "calculon",
      "sequence": 1024,
      "strategies": 9024,
      "fits": 4512,
      "tensor": 4,
      "pipeline": 5,
      "data": 1,
      "microbatch": 1,
      "batch": 24,
      "step_ms": 17.566,
      "mfu_percent": 44.18
    },
    {
      "figure": "second",
      "point": 1,
      "model": "m layers=10",
      "system": "small mem2=none",
      "gpus": 20,
      "max_batch": 24,
      "datatype": "float16",
      "framework": "calculon",
      "sequence": 1024,
      "strategies": 9024,
      "fits": 4512,
      "tensor": 4,
      "pipeline": 5,
      "data": 1,
      "microbatch": 1,
      "batch": 24,
      "step_ms": 18.297,
      "mfu_percent": 42.42
    },
    {
      "figure": "second",
      "point": 2,
      "model": "m layers=10",
      "system": "small mem2=32GiB@100GB/s",
      "gpus": 20,
      "max_batch": 24,
      "datatype": "float16",
      "framework": "calculon",
      "sequence": 1024,
      "strategies": 72192,
      "fits": 15936,
      "tensor": 4,
      "pipeline": 5,
      "data": 1,
      "microbatch": 1,
      "batch": 24,
      "step_ms": 17.566,
      "mfu_percent": 44.18
    },
    {
      "figure": "second",
      "point": 2,
      "model": "m layers=10",
      "system": "small mem2=32GiB@100GB/s",
      "gpus": 20,
      "max_batch": 24,
      "datatype": "float16",
      "framework": "calculon",
      "sequence": 1024,
      "strategies": 72192,
      "fits": 15936,
      "tensor": 4,
      "pipeline": 5,
      "data": 1,
      "microbatch": 1,
      "batch": 24,
      "step_ms": 17.566,
      "mfu_percent": 44.18
    },
    {
      "figure": "second",
      "point": 2,
      "model": "m layers=10",
      "system": "small mem2=32GiB@100GB/s",
      "gpus": 20,
      "max_batch": 24,
      "datatype": "float16",
      "framework": "calculon",
      "sequence": 1024,
      "strategies": 72192,
      "fits": 15936,
      "tensor": 4,
      "pipeline": 5,
      "data": 1,
      "microbatch": 1,
      "batch": 24,
      "step_ms": 18.297,
      "mfu_percent": 42.42
    },
    {
      "figure": "second",
      "point": 3,
      "model": "m layers=12",
      "system": "small mem2=none",
      "gpus": 20,
      "max_batch": 24,
      "datatype": "float16",
      "framework": "calculon",
      "sequence": 1024,
      "strategies": 5568,
      "fits": 2776,
      "tensor": 4,
      "pipeline": 1,
      "data": 5,
      "microbatch": 4,
      "batch": 20,
      "step_ms": 19.014,
      "mfu_percent": 40.75
    },
    {
      "figure": "second",
      "point": 3,
      "model": "m layers=12",
      "system": "small mem2=none",
      "gpus": 20,
      "max_batch": 24,
      "datatype": "float16",
      "framework": "calculon",
      "sequence": 1024,
      "strategies": 5568,
      "fits": 2776,
      "tensor": 4,
      "pipeline": 1,
      "data": 5,
      "microbatch": 4,
      "batch": 20,
      "step_ms": 19.014,
      "mfu_percent": 40.75
    },
    {
      "figure": "second",
      "point": 3,
      "model": "m layers=12",
      "system": "small mem2=none",
      "gpus": 20,
      "max_batch": 24,
      "datatype": "float16",
      "framework": "calculon",
      "sequence": 1024,
      "strategies": 5568,
      "fits": 2776,
      "tensor": 4,
      "pipeline": 1,
      "data": 5,
      "microbatch": 4,
      "batch": 20,
      "step_ms": 19.419,
      "mfu_percent": 39.92
    },
    {
      "figure": "second",
      "point": 4,
      "model": "m layers=12",
      "system": "small mem2=32GiB@100GB/s",
      "gpus": 20,
      "max_batch": 24,
      "datatype": "float16",
      "framework": "calculon",
      "sequence": 1024,
      "strategies": 44544,
      "fits": 22264,
      "tensor": 4,
      "pipeline": 1,
      "data": 5,
      "microbatch": 4,
      "batch": 20,
      "step_ms": 19.014,
      "mfu_percent": 40.75
    },
    {
      "figure": "second",
      "point": 4,
      "model": "m layers=12",
      "system": "small mem2=32GiB@100GB/s",
      "gpus": 20,
      "max_batch": 24,
      "datatype": "float16",
      "framework": "calculon",
      "sequence": 1024,
      "strategies": 44544,
      "fits": 22264,
      "tensor": 4,
      "pipeline": 1,
      "data": 5,
      "microbatch": 4,
      "batch": 20,
      "step_ms": 19.014,
      "mfu_percent": 40.75
    },
    {
      "figure": "second",
      "point": 4,
      "model": "m layers=12",
      "system": "small mem2=32GiB@100GB/s",
      "gpus": 20,
      "max_batch": 24,
      "datatype": "float16",
      "framework": "calculon",
      "sequence": 1024,
      "strategies": 44544,
      "fits": 22264,
      "tensor": 4,
      "pipeline": 1,
      "data": 5,
      "microbatch": 4,
      "batch": 20,
      "step_ms": 19.014,
      "mfu_percent": 40.75
    }
  ]
}
reckon: 16 points, 16 searches: 12 finished before, 4 to do
reckon: 4 searches, 754,464 plans evaluated in ...
16 of 16 points are finished, 12 can run; highest MFU 60.5 %: m layers=12 on small mem2=32GiB@100GB/s, 8 GPUs
A miniature

figure   points  finished  can run      plans     fits
first         8         8        8  1,258,368  815,070
second        4         4        4    131,328   45,488
nothing       4         4        0          0        0

The best plan of each figure, by MFU
figure  model        system                    gpus  max batch  step s    MFU  memory  plan
                                                                    ms      %     GiB
first   m layers=12  small mem2=32GiB@100GB/s     8         24   38.44  60.48    3.94  framework=calculon precision=fp16 dp2 tp4 mbs12 gbs24 sp regather tp-overlap zero1 grad-overlap offload-optimizer=1 offload-weights=1 tp-net=0 pp-net=0 dp-net=1
second  m layers=10  small mem2=32GiB@100GB/s    20         24   17.57  44.18    0.49  framework=calculon precision=fp16 tp4 pp5 gbs24 sp regather tp-overlap tp-net=0 pp-net=1 dp-net=0
figure   point  model        system                    gpus  max batch  datatype  axes                       top  finished
first        1  m layers=10  small mem2=none              8         24  float16                                1       yes
first        2  m layers=10  small mem2=none             12         24  float16                                1       yes
first        3  m layers=10  small mem2=32GiB@100GB/s     8         24  float16                                1       yes
first        4  m layers=10  small mem2=32GiB@100GB/s    12         24  float16                                1       yes
first        5  m layers=12  small mem2=none              8         24  float16                                1       yes
first        6  m layers=12  small mem2=none             12         24  float16                                1       yes
first        7  m layers=12  small mem2=32GiB@100GB/s     8         24  float16                                1       yes
first        8  m layers=12  small mem2=32GiB@100GB/s    12         24  float16                                1       yes
second       1  m layers=10  small mem2=none             20         24  float16   tensor=2,4 recompute=none    3       yes
second       2  m layers=10  small mem2=32GiB@100GB/s    20         24  float16   tensor=2,4 recompute=none    3       yes
second       3  m layers=12  small mem2=none             20         24  float16   tensor=2,4 recompute=none    3       yes
second       4  m layers=12  small mem2=32GiB@100GB/s    20         24  float16   tensor=2,4 recompute=none    3       yes
nothing      1  m layers=10  small mem2=none              7         24  float16   tensor=2                     1       yes
nothing      2  m layers=10  small mem2=32GiB@100GB/s     7         24  float16   tensor=2                     1       yes
nothing      3  m layers=12  small mem2=none              7         24  float16   tensor=2                     1       yes
nothing      4  m layers=12  small mem2=32GiB@100GB/s     7         24  float16   tensor=2                     1       yes
