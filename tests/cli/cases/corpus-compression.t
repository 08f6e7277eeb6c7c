# texts by how much zlib packs them: repetition and noise go, prose stays; what is refused
awk 'BEGIN { for (i = 0; i < 120; i++) t = t "buy now cheap watches here today "; printf "{\"text\": \"%s\"}\n", t
    srand(1); for (i = 0; i < 4000; i++) n = n sprintf("%c", 35 + int(56 * rand())); printf "{\"text\": \"%s\"}\n", n }' >in.jsonl
printf '{"text": "%s"}\n' 'All human beings are born free and equal in dignity and rights. They are endowed with reason and conscience and should act towards one another in a spirit of brotherhood. Everyone is entitled to all the rights and freedoms set forth in this Declaration, without distinction of any kind.' >>in.jsonl
reckon corpus clean -o out --any-quality --compression 0.2,0.7 in.jsonl >/dev/null
cat out/removed.csv
wc -l <out/train.jsonl
reckon corpus clean -o all --any-quality in.jsonl >/dev/null
wc -l <all/train.jsonl
reckon corpus clean -o no --compression 0.9,0.2 in.jsonl; echo "exit $?"
reckon corpus clean -o no --compression much in.jsonl; echo "exit $?"
=== stdout
source,record,reason,same_as_source,same_as_record
in.jsonl,1,repetitive,,
in.jsonl,2,noise,,
1
3
exit 2
exit 2
=== stderr
reckon: --compression: "0.9,0.2": give two shares, the smaller one first, 0.2,0.9
reckon: --compression: "much": give two shares, the smaller one first, 0.2,0.9
