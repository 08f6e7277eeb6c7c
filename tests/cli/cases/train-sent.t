# what ranks send in a step, by what it is for: a ring of two sends each gradient once (2 (n-1)/n of it by each
# rank), a pipeline sends activations, one rank nothing, and the agreement at the end of a step is no part of it
model=$RECKON_SOURCE/examples/train/tiny.json
i=0; while [ $i -lt 400 ]; do echo "All human beings are born free and equal in dignity and rights."; i=$((i + 1)); done >book.txt
for plan in dp2 pp2 tp2 dp1; do
    echo "$plan:"
    reckon train -m "$model" -d book.txt -n 2 gbs4 $plan -q -f json -o run.json
    python3 -c "
import json
run = json.load(open('run.json'))
for row in run.get('sent', []): print(row['sent'], int(row['counted_bytes']))"
done
reckon train -m "$model" -d book.txt -n 1 gbs4 ep2 -q
=== stdout
dp2:
gradients and weights 7088512
pp2:
messages between stages 787840
tp2:
tensor, context, experts 9449472
gradients and weights 384
dp1:
=== stderr
reckon: "gbs4 ep2":1:6: ep 2: pipeline 1 * expert 2 * expert tensor 1 = 2 does not divide 1 ranks: leave ep out of a model without experts; with them use a divisor of 1 that divides their number
=== exit 2
