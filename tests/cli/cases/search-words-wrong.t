# words that a search has otherwise, or that mean nothing for the model
reckon search -m llama3.1-8b -s h100-sxm5-80g -g 8 -b 16 ep2; echo "exit $?"
reckon search -m llama3.1-8b -s h100-sxm5-80g -g 8 -b 16 pp2 first-layers=15; echo "exit $?"
=== stdout
exit 2
exit 2
=== stderr
reckon: ep2: llama3.1-8b has no experts: leave ep out
reckon: "first-layers" is no word of a search: give --split
