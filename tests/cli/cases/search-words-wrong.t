# words that a search has otherwise, or that mean nothing for the model
reckon search -m llama3.1-8b -s h100-sxm5-80g -g 8 -b 16 ep2; echo "exit $?"
reckon search -m llama3.1-8b -s h100-sxm5-80g -g 8 -b 16 --expert 2; echo "exit $?"
reckon search -m llama3.1-8b -s h100-sxm5-80g -g 8 -b 16 etp2; echo "exit $?"
reckon search -m llama3.1-8b -s h100-sxm5-80g -g 8 -b 16 --dispatcher deepep; echo "exit $?"
reckon search -m llama3.1-8b -s h100-sxm5-80g -g 8 -b 16 ep-overlap; echo "exit $?"
reckon search -m llama3.1-8b -s h100-sxm5-80g -g 8 -b 16 pp2 first-layers=15; echo "exit $?"
=== stdout
exit 2
exit 2
exit 2
exit 2
exit 2
exit 2
=== stderr
reckon: ep2: llama3.1-8b has no experts: leave ep out
reckon: expert 2: llama3.1-8b has no experts: leave it out
reckon: expert-tensor 2: llama3.1-8b has no experts: leave it out
reckon: dispatcher deepep: llama3.1-8b has no experts: leave it out
reckon: expert-overlap yes: llama3.1-8b has no experts: leave it out
reckon: "first-layers" is not a word of a search: give --split
