# Texts by windows and questions by choices: the same for any number of threads and of data-parallel ranks.
cp "$SOURCE/data/corpus/declaration/en.txt" en.txt
cp "$SOURCE/examples/train/tiny.json" tiny.json
reckon train -q -m tiny.json -d en.txt -n 3 gbs4 mbs1 seq32 --rate 3e-3 --save saved >out
head -c 1500 en.txt >text.txt
head -c 1000 en.txt >half.txt
cat >questions.jsonl <<'JSON'
{"context": "Everyone has the right to", "choices": ["life", "qqqqqqqqqqqqqqqqqqqq"], "answer": 0}
{"context": "All human beings are born", "choices": ["ZZZZ", "free and equal"], "answer": "free and equal"}
{"context": "", "choices": ["the", "XQX"], "answer": 0}

{"context": "Everyone has the right", "answer": "to"}
JSON
judge() { reckon eval -m tiny.json -l saved "$@"; }
short() { sed -E 's/([0-9]\.[0-9]{4})[0-9]+/\1/g'; }
judge text.txt half.txt --format csv | short
judge text.txt --format csv --stride 32 -p dp2 --threads 2 >two
judge text.txt --format csv --stride 32 >one
cmp one two && echo "the same for two ranks with two threads each"
# tokens of the same text: with the token that ends documents before it
reckon tokenize --as bin -o text.bin text.txt
judge text.bin -t bytes --format json | sed 's/text.bin/text.txt/' >bin
judge text.txt --format json | cmp - bin && echo "the same as tokens"
judge --task questions.jsonl --log all --shots 2 | cut -c1-68
judge --task questions.jsonl --log all2 --shots 2 -p "dp3" >out
cmp all all2 && echo "the same for three ranks"
# each question alone, without examples
judge --task questions.jsonl --log all --double >out
while read -r line; do
    [ -n "$line" ] || continue
    echo "$line" >alone.jsonl
    judge --task alone.jsonl --log log --double >out
    cat log
done <questions.jsonl | sed 's/"task.*"loglik/"loglik/' | short >each
sed 's/"task.*"loglik/"loglik/' all | short | cmp - each && echo "each alone has the same"
# a template, and examples from elsewhere
printf 'Q: {{context}} {{number}}\nA:\n' >form.txt
echo '{"context": "Who?", "number": 7, "choices": ["I", "no one"], "answer": 1}' >formed.jsonl
judge --task formed.jsonl --template form.txt --log by-template >out
printf '{"context": "Q: Who? 7\\nA:", "choices": ["I", "no one"], "answer": 1}\n' >formed.jsonl
judge --task formed.jsonl --log by-hand >out
cmp by-template by-hand && echo "the template is filled in"
=== stdout
text,documents,left_out,tokens,bytes,characters,loss,perplexity,bits_per_byte,character_perplexity,likeliest
text.txt,1,0,1500,1500,1498,4.5380,93.5046,6.5469,94.0728,0.1553
half.txt,1,0,1000,1000,1000,4.5335,93.0915,6.5405,93.0915,0.162
all,2,0,2500,2500,2498,4.5362,93.3391,6.5444,93.6788,0.158
the same for two ranks with two threads each
the same as tokens
task             questions  right     +-  right by length    +-  cha
                                %      %                %     %     
questions.jsonl          4  66.67  33.33           100.00  0.00   50
the same for three ranks
each alone has the same
the template is filled in
