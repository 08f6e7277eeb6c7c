reckon program -m gpt2-124m -s a100-sxm4-80g tp2 pp2 gbs4 sp --all logs; reckon check --logs logs -m gpt2-124m -s a100-sxm4-80g tp2 pp2 gbs4 sp; sed -i "s/flop=[0-9]*/flop=1/; 0,/^all_gather/s/^all_gather \([^ ]*\) bf16 [0-9]*/all_gather \1 bf16 64/" logs/rank-1.log; reckon check --logs logs -m gpt2-124m -s a100-sxm4-80g tp2 pp2 gbs4 sp | grep -o "error [^:]*"; reckon check --logs logs -m gpt2-124m -s a100-sxm4-80g tp2 pp2 dp2 gbs4 sp
rm -r logs; reckon program -m gpt2-124m -s a100-sxm4-80g -g 4 tp2 gbs8 --all logs >told; compare="reckon check --logs logs -m gpt2-124m -s a100-sxm4-80g"; $compare -g 4 tp2 gbs8; reckon predict -m gpt2-124m -s a100-sxm4-80g -g 4 tp2 gbs8 --save-plan p.json >told; $compare p.json; $compare p.json gbs16 | grep -o "error [^:]*" | sort -u
$compare tp2 gbs8; reckon check --logs logs tp2; $compare tp2 --checkpoint "torch tensor=4"; echo "exit $?"
=== stdout
logs of 4 ranks: nothing found
error 7.match
error 11.flop
error 11.bytes
logs of 4 ranks: nothing found
logs of 4 ranks: nothing found
error 11.bytes
error 11.flop
exit 2
=== stderr
reckon: the plan has 8 ranks, there are logs of 4: say how many GPUs the plan has, or give all its logs
reckon: the plan has 2 ranks, there are logs of 4: say how many GPUs the plan has, or give all its logs
reckon: a plan is compared with logs of operations (--logs): give them, --model and --system, or leave the plan out
reckon: --checkpoint has no meaning for logs: leave it out
