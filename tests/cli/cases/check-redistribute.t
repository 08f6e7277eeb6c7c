# what lies otherwise between layers of other degrees is moved to its owners: left out on all ranks
plan="gpus4 tp4 pp1 mbs4 gbs8 sp zero1 stages=6~6/tp2"
judge() { reckon check --logs logs -m gpt2-124m -s a100-sxm4-80g $plan | grep -o 'error [^:]*\|logs of.*' | sort | uniq -c; }
reckon program -m gpt2-124m -s a100-sxm4-80g $plan --all logs >nothing
judge
sed -i '/name=relayout/d' logs/rank-?.log
judge
# ... and between stages: half of it
plan="gpus8 tp2 pp2 gbs8 stages=6,6/tp4/mbs2"
rm -r logs
reckon program -m gpt2-124m -s a100-sxm4-80g $plan --all logs >nothing
judge
sed -i 's/^\(send\|recv\) \([0-9]*\) bf16 [0-9]*/\1 \2 bf16 1024/' logs/rank-?.log
judge
