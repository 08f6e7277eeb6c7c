plan="framework=calculon precision=fp16 tp8 pp8 vpp3 gbs64 recompute=full no-fused tp-net=0 pp-net=1 dp-net=1"
for i in 1 2; do
    reckon report "$plan" -m gpt3-175b -s a100-80g-selene -o plan$i.html --charts charts$i
    reckon report --search -m gpt3-175b -s a100-80g-nvl8 -g 64 -b 64 -j $i -o search$i.html
done
cmp plan1.html plan2.html && cmp search1.html search2.html && diff -r charts1 charts2 && echo same
=== stdout
same
