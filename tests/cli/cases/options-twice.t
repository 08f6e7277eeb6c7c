# an option of one value that is given twice would drop the first: each command names both values
try() {
    reckon "$@" 2>&1 | sed -n 1p
}
try predict -m llama3.1-8b -s h100-sxm5-80g -s a100-80g tp8
try timeline -m llama3.1-8b -s 'h100-sxm5-80g x8 + a100-80g x8 link=1Gb/s' --system 'a100-80g x8' -b 64
try budget -s h100 -s a100 -g 512 --days 60
try export megatron -m llama3.1-8b --model llama3.1-70b gpus8 tp8
try search -m llama3.1-8b -s h100-sxm5-80g -g 8 -b 16 --top 3 --top 4
try predict -m llama3.1-8b -s h100-sxm5-80g -g 8 -g 16 tp8
try predict -m llama3.1-8b -s h100-sxm5-80g --tensor 2 --tensor 4
try predict -m llama3.1-8b -s h100-sxm5-80g tp8 -f json --format csv
try predict -m llama3.1-8b -s h100-sxm5-80g tp8 -o one.txt -o two.txt
try calculon llm a b c d e -p one -p two
ls
# lists add up where they are declared
reckon search -q -m llama3.1-8b -s h100-sxm5-80g -s a100-80g -g 8 -b 16 --tensor 2 --tensor 4 | sed -n 1p
# what of a batch and a number of GPUs does not divide
for sizes in '-g 63 -b 512' '-g 64 -b 1023' '-g 1024 -b 256'; do
    reckon search -q -m llama3.1-8b -s h100-sxm5-80g $sizes --recompute none | grep -o 'batch.*is not divisible.*'
done
# ranks of those shown, also where equals between them are left out
reckon search -q -m llama3.1-70b -s h100-sxm5-80g -g 64 -b 256 --top 6 | sed -n '/^rank/,/^not shown/p' | cut -c1-4
=== stdout
reckon: --system "h100-sxm5-80g" and --system "a100-80g": one value is taken, leave one out
reckon: --system "h100-sxm5-80g x8 + a100-80g x8 link=1Gb/s" and --system "a100-80g x8": one value is taken, leave one out
reckon: --system "h100" and --system "a100": one value is taken, leave one out
reckon: --model "llama3.1-8b" and --model "llama3.1-70b": one value is taken, leave one out
reckon: --top "3" and --top "4": one value is taken, leave one out
reckon: --gpus "8" and --gpus "16": one value is taken, leave one out
reckon: "tensor=2 tensor=4":1:10: tp is given twice: leave one out
reckon: --format "json" and --format "csv": one value is taken, leave one out
reckon: --output "one.txt" and --output "two.txt": one value is taken, leave one out
reckon: --peers "one" and --peers "two": one value is taken, leave one out
most tokens per second: h100-sxm5-80g; fits: P(fits) 76 %, 1.729 s per step (50 % 1.622-2.075 s), MFU 49.3 %, memory 69.1 of 79.2 GiB
batch 512 is not divisible by 63: data parallelism, which divides the GPUs and the batch, is at most 1 (batch 504 or 567: 63)
batch 1023 is not divisible by 64: data parallelism, which divides the GPUs and the batch, is at most 1 (batch 960 or 1024: 64)
rank
    
   1
   2
   3
   4

not 
