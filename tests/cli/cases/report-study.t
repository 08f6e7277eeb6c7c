cat > study.json <<EOF
{"framework": "calculon", "title": "T<w>o & \"more\"", "figures": [{"name": "f", "models": ["gpt3-175b"], "systems": ["a100-80g-nvl8"], "batch": 64, "gpus": [64, 128]}]}
EOF
reckon study study.json --db study.db -q > /dev/null
reckon report study.db -o a.html --charts charts; echo $?
reckon report study.db -o b.html; cmp a.html b.html && echo same
ls charts
grep -o "<title>.*</title>" a.html | head -1
head -c 5000 study.db > cut.db
reckon report cut.db -o c.html; echo $?
printf "SQLite format 3\\000rubbish" > other.db
reckon report other.db -o c.html; echo $?
ls *.html
=== stdout
0
same
f-memory.csv
f-memory.json
f-rate.csv
f-rate.json
f-shares.csv
f-shares.json
f-time.csv
f-time.json
<title>T&lt;w&gt;o &amp; &quot;more&quot;</title>
3
3
a.html
b.html
=== stderr
reckon: cut.db: is damaged (database disk image is malformed): move it away and run the study again
reckon: other.db: is not a database: give another --db, or remove the file
