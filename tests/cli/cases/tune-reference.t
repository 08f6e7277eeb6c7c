# What a preference is measured against follows from the way of fine-tuning that was found: with adapters they are switched off.
for w in "" "lora=16" "reference=copy" "lora=0"; do
    echo "== $w"
    reckon fits qwen3-8b "h200 x2" --tune objective=dpo seq2048 $w >out; grep -o "lora16\|reference [a-z-]* (evaluated[^)]*)" out | sed 2q
    reckon predict -m qwen3-8b -s "h200 x2" $(sed -n '/^  plan: /,/^  assumed/p' out | sed '$d; s/plan: //') | grep -o "reference [a-z-]* (evaluated[^)]*)"
done
=== stdout
== 
reference copy (evaluated before training: say none)
lora16
reference copy (evaluated before training: say none)
== lora=16
lora16
reference adapter-off (evaluated before training: say none)
reference adapter-off (evaluated before training: say none)
== reference=copy
lora16
lora16
reference copy (evaluated before training: say none)
== lora=0
reference copy (evaluated before training: say none)
reference copy (evaluated before training: say none)
