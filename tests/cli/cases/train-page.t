# train -o FILE.html: the loss and the speed of each step as charts, then the tables; as JSON no page
model=$RECKON_SOURCE/examples/train/tiny.json
i=0; while [ $i -lt 400 ]; do echo "All human beings are born free and equal in dignity and rights."; i=$((i + 1)); done >book.txt
reckon train -m "$model" -d book.txt -n 4 gbs2 dp2 -q --log log.jsonl -o run.html; echo "exit $?"
grep -o '<h1>[^<]*\|<h3>[^<]*' run.html
# the points are the log's
for loss in $(sed 's/.*"loss": \([^,]*\).*/\1/' log.jsonl | cut -c1-8); do grep -q ",$loss" run.html && echo drawn; done
reckon train -m "$model" -d book.txt -n 2 gbs2 -q -f json -o run.json; head -c 1 run.json; echo
reckon train -m "$model" -d book.txt -n 2 gbs2 -q -o none/run.html; echo "exit $?"
=== stdout
exit 0
<h1>tiny, trained to step 4
<h3>Loss, step by step
<h3>Tokens per second
<h3>A step: what was measured of the fastest
<h3>What all ranks send in a step
<h3>Memory of a rank
drawn
drawn
drawn
drawn
{
exit 4
=== stderr
reckon: none/run.html: cannot write: folder none: No such file or directory
