reckon program -m gpt2-124m -s a100-sxm4-80g -g 8 tp2 pp2 dp2 gbs8 sp zero1 grad-overlap --all logs && ls logs && reckon check --logs logs; reckon program -m gpt2-124m -s a100-sxm4-80g -g 8 tp2 pp2 dp2 gbs8 --classes --all one && ls one
# A rank that cannot be written takes the others with it.
mkdir -p half/rank-5.log; reckon program -m gpt2-124m -s a100-sxm4-80g -g 8 tp2 pp2 dp2 gbs8 --all half; echo "exit $?"; ls half
# Those of before stay as they were when one cannot be written; a smaller plan does not stand among ranks of a larger one.
all() { reckon program -m gpt2-124m -s a100-sxm4-80g "$@"; echo "exit $?"; }
cat logs/*.log >before
(ulimit -f 40; all -g 8 tp2 pp2 dp2 gbs4 --all logs); cat logs/*.log | cmp - before; ls -A logs | wc -l
(ulimit -f 40; all -g 2 tp2 gbs4 --all new); [ -e new ] || echo none
all -g 4 tp2 pp2 gbs4 --all logs; cat logs/*.log | cmp - before
all -g 8 tp2 pp2 dp2 gbs8 --classes --all logs 2>/dev/null; cat logs/*.log | cmp - before
rm logs/rank-[4-7].log; all -g 4 tp2 pp2 gbs4 --all logs; ls -A logs; reckon check --logs logs
mv logs/rank-3.log logs/rank-03.log; all -g 4 tp2 pp2 gbs4 --all logs
all -g 2 tp2 gbs4 --all before
=== stdout
rank-0.log
rank-1.log
rank-2.log
rank-3.log
rank-4.log
rank-5.log
rank-6.log
rank-7.log
logs of 8 ranks: nothing found
rank-0.log
rank-4.log
exit 4
rank-5.log
exit 4
8
exit 4
none
exit 3
exit 3
exit 0
rank-0.log
rank-1.log
rank-2.log
rank-3.log
logs of 4 ranks: nothing found
exit 3
exit 3
=== stderr
reckon: half/rank-5.log: cannot write: this is not a file; remove it, or name another folder
reckon: logs/rank-0.log: cannot write the program: File too large
reckon: new/rank-0.log: cannot write the program: File too large
reckon: logs/rank-4.log: is none of the 4 files to be written, and would pass for one of them: remove such files, or name another folder
reckon: logs/rank-03.log: is none of the 4 files to be written, and would pass for one of them: remove such files, or name another folder
reckon: before: cannot open: Not a directory; check the path
