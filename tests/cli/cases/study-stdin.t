# A study from standard input needs a name for its database.
# (a tool of clang's OpenMP that the thread sanitizer loads does not expect searches on many threads)
export OMP_TOOL=disabled
reckon study - -q --db x.db --figure first --export csv <"$SOURCE/tests/data/cases/study/study.json" | cut -d, -f1-11
ls
=== stdout
figure,point,model,system,gpus,max_batch,datatype,framework,sequence,strategies,fits
first,1,m layers=10,small mem2=none,8,24,float16,calculon,1024,21648,15789
first,2,m layers=10,small mem2=none,16,24,float16,calculon,1024,25080,15666
first,3,m layers=10,small mem2=32GiB@100GB/s,8,24,float16,calculon,1024,149568,116642
first,4,m layers=10,small mem2=32GiB@100GB/s,16,24,float16,calculon,1024,173280,108432
first,5,m layers=12,small mem2=none,8,24,float16,calculon,1024,42064,28297
first,6,m layers=12,small mem2=none,16,24,float16,calculon,1024,63096,39402
first,7,m layers=12,small mem2=32GiB@100GB/s,8,24,float16,calculon,1024,290624,216875
first,8,m layers=12,small mem2=32GiB@100GB/s,16,24,float16,calculon,1024,435936,274258
x.db
