for words in "hidden=1024 hidden=2048" lyers=3 heads=7; do reckon predict -m "llama3.2-1b $words" -s h100-sxm5-80g; done
=== stdout
=== stderr
reckon: llama3.2-1b hidden=1024 hidden=2048:1:25: hidden is given twice: leave one out
reckon: llama3.2-1b lyers=3:1:13: unknown key "lyers"; did you mean "layers"?
reckon: llama3.2-1b heads=7: kv_heads: must divide heads
=== exit 3
