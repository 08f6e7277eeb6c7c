plan="framework=calculon precision=fp16 tp8 pp8 vpp3 gbs64 recompute=full no-fused tp-net=0 pp-net=1 dp-net=1"
reckon predict -m gpt3-175b -s a100-80g-selene "$plan" --save-plan plan.json >/dev/null
reckon report plan.json -m gpt3-175b -s a100-80g-selene -o page.html --charts charts
ls . charts
grep -c "<figure" page.html
grep -o "<title>.*</title>" page.html | head -1
head -4 charts/time.csv
! grep -nE "(src|href)=\"(https?:)?//" page.html
=== stdout
.:
charts
page.html
plan.json

charts:
flame.csv
flame.json
layout.csv
layout.json
links.csv
links.json
memory.csv
memory.json
roofline.csv
roofline.json
schedule-end.csv
schedule-end.json
schedule.csv
schedule.json
stage-memory.csv
stage-memory.json
stages.csv
stages.json
time.csv
time.json
10
<title>gpt3-175b on a100-80g-selene</title>
part,time_s,share,what
forward,3.648568878349474,0.20237470143311398,forward passes
backward,6.906075908214845,0.3830584255357812,activation and weight gradients
recompute,3.648568878349474,0.20237470143311398,recomputation in backward
