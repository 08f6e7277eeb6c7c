reckon search -m gpt3-175b -s a100-80g-nvl8 -g 1024 -b 1024 -q --save-plan best.json > /dev/null
reckon report best.json -m gpt3-175b -s "a100-80g-nvl8 hbm=8GiB mem2=none" -o page.html; echo $?
reckon report best.json -m gpt3-175b -s "a100-80g-nvl8 hbm=8GiB" -o page.html; echo $?
grep -o "cannot run. What follows[^<]*" page.html | head -1
=== stdout
1
1
