for flags in '--window 2s' '--window 2s..1s' '--window 1..2' '--window 9000s..9001s' '--window 1s..2s --full' '--stages 9' '--stages 1,3' '--stages 2..1'; do
    reckon timeline -m gpt3-175b -s a100-80g-nvl8 --framework calculon --tensor 8 --pipeline 8 --data 16 --batch 1536 --recompute selective --zero 1 $flags --trace trace.json
    echo "exit $?"
done
reckon timeline -m gpt3-175b -s a100-80g-nvl8 --framework calculon --tensor 8 --pipeline 8 --data 16 --batch 1536 --recompute selective --zero 1 --window 1s..2s
echo "exit $?"
ls
=== stdout
exit 2
exit 2
exit 2
exit 2
exit 2
exit 2
exit 2
exit 2
exit 2
=== stderr
reckon: --window: "2s" is not a range: give FROM..TO, 1.5s..2s
reckon: --window: "2s..1s" runs backwards or begins before the step: give FROM..TO
reckon: --window: "1" has no unit: write a time such as "10us" or "30min"
reckon: --window: "9000s..9001s" begins after the step, which takes 21.02 s
reckon: --full and --window exclude each other
reckon: --stages: there is no stage 9: the last one is 7
reckon: --stages: give one range, 0..7
reckon: --stages: the range 2..1 runs backwards
reckon: --window, --stages and --full choose what goes into a trace: give it a file with --trace
