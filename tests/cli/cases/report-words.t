# a mixture's plan in words, and calculon's, on the same page
for words in "-m mixtral-8x7b -s h100-sxm5-80g -g 64 tp2 pp4 ep8 zero1" "-m gpt3-175b -s a100-80g-nvl8 framework=calculon tp8 pp8 dp16 gbs1536 recompute=selective offload-weights"; do
    reckon report $words -o page.html
    echo "exit $?"
    grep -o '<h[12][^>]*>[^<]*</h[12]>' page.html | sed 's/<[^>]*>//g'
done
reckon report -m mixtral-8x7b -s h100-sxm5-80g tp2 --batch 64 -o other.html
echo "exit $?"
ls
=== stdout
exit 0
mixtral-8x7b on h100-sxm5-80g
Time of a step
Memory of a GPU
The pipeline
Ranks over the network
Operations of the layers
Launch it
Every figure
Inputs
exit 0
gpt3-175b on a100-80g-nvl8
Time of a step
Memory of a GPU
The pipeline
Ranks over the network
Operations of the layers
Every figure
Inputs
exit 2
page.html
=== stderr
reckon: --batch, --sequence, --framework, --where, --headroom, --sort, --top, --threads and the axes are for --search: say a plan in words, "tp8 gbs512"
