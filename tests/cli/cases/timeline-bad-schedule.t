for flags in '--chunks 3 --schedule gpipe' '--schedule interleaved' '--chunks 2 --schedule zero-bubble' '--schedule 2f2b'; do
    reckon timeline -m gpt3-175b -s a100-80g-nvl8 --framework calculon --tensor 8 --pipeline 8 --data 16 --batch 1536 --recompute selective --zero 1 $flags --trace trace.json
    echo "exit $?"
done
ls
=== stdout
exit 2
exit 2
exit 2
exit 2
=== stderr
reckon: schedule gpipe: the strategy interleaves 3 chunks on a rank, and only schedule interleaved does: choose it, or an interleaving of 1
reckon: "framework=calculon tensor=8 pipeline=8 data=16 batch...":1:95: schedule must be one of gpipe, 1f1b, zero-bubble, dualpipe, zero-bubble-2p, v-zero, v-half, v-min; got "interleaved"
reckon: schedule zb-h1: the strategy interleaves 2 chunks on a rank, and only schedule interleaved does: choose it, or an interleaving of 1
reckon: "framework=calculon tensor=8 pipeline=8 data=16 batch...":1:95: schedule must be one of gpipe, 1f1b, zero-bubble, dualpipe, zero-bubble-2p, v-zero, v-half, v-min; got "2f2b"; did you mean "1f1b"?
