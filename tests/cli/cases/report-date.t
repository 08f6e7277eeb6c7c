plan="framework=calculon precision=fp16 tp8 pp8 vpp3 gbs64 recompute=full no-fused tp-net=0 pp-net=1 dp-net=1"
reckon report "$plan" -m gpt3-175b -s a100-80g-selene | grep -c "of its model\.<"
SOURCE_DATE_EPOCH=86400 reckon report "$plan" -m gpt3-175b -s a100-80g-selene | grep -c "of its model, 1970-01-02\.<"
reckon report "$plan" -m gpt3-175b -s a100-80g-selene --date "in May" --title "A <plan>" > page.html
grep -c "of its model, in May\.<" page.html; grep -o "<h1>.*</h1>" page.html
=== stdout
1
1
1
<h1>A &lt;plan&gt;</h1>
