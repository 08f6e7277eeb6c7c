reckon predict --framework calculon -m gpt3-175b -s a100-80g-nvl8 --tensor 8 --pipeline 16 --recompute full -f csv -o plan.csv || exit
reckon predict --framework calculon -m gpt3-175b -s a100-80g-nvl8 --tensor 8 --pipeline 16 --recompute full -f csv -o - | cmp - plan.csv
ls
=== stdout
plan.csv
