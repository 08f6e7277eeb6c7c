# the search behind fits begins with the attention kernel of the machine: it has the plan that search has, on each
for machine in a100 v100 l40s mi300x; do
    reckon fits gpt2-xl "$machine x8" batch=64 2>&1 | sed -n 's/.*%, \(.*\) per step.*/\1/p'
    reckon search -m gpt2-xl -s "$machine x8" -g 8 -b 64 2>&1 | sed -n 's/.*%, \(.*\) per step.*/\1/p'
done
=== stdout
521.8 ms
521.8 ms
1.745 s
1.745 s
604.1 ms
604.1 ms
228.9 ms
228.9 ms
