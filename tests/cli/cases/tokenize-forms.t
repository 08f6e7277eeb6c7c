printf "It's 2+2=4, Éa!" | reckon tokenize -t "$SOURCE/tests/data/tokens/combined.json"
printf 'ab\n\ncd' | reckon tokenize
printf 'ab\n' >a.txt
reckon tokenize --as bin -o a.bin a.txt && od -An -td4 -N12 a.bin && od -An -tu2 -j1024 a.bin
reckon tokenize --as count --format csv a.txt
echo 99 98 256 | reckon tokenize -d
=== stdout
1 342 8 84 222 19 12 19 30 21 13 222 1 129 104 66 2
97 98 10 10 99 100
    20240520           1           4
   256    97    98    10
file,documents,left_out,text_bytes,characters,tokens,bytes_per_token,characters_per_token
a.txt,1,0,3,3,3,1,1
cb
