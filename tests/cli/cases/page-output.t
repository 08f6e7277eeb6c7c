# -o FILE.html: predict and fits write the page of the plan, others their tables
reckon predict -m llama3.1-8b -s h100-sxm5-80g -g 16 tp2 gbs64 zero1 -o predict.html; echo "exit $?"
reckon report -m llama3.1-8b -s h100-sxm5-80g -g 16 tp2 gbs64 zero1 -o report.html; cmp predict.html report.html && echo the same
reckon fits llama3.1-8b h100-sxm5-80g -g 16 tp2 gbs64 -o fits.html; echo "exit $?"
reckon fits llama3.1-405b h100-sxm5-80g -g 8 tp8 -o refused.html; echo "exit $?"
grep -o '<h1>[^<]*\|>does not fit: memory tier 0' fits.html refused.html
reckon search -m llama3.1-8b -s h100-sxm5-80g -g 8 -b 64 -q -o search.html; grep -o '<h1>[^<]*\|class="verdict [a-z]*\|<figure id="[a-z-]*' search.html
reckon report --search -m llama3.1-8b -s h100-sxm5-80g -g 8 -b 64 -o report.html; cmp search.html report.html && echo 'the same page'
reckon predict -m llama3.1-8b -s h100-sxm5-80g -g 16 tp2 --format json -o json.html; head -c 1 json.html; echo
reckon predict -m llama3.1-8b -s h100-sxm5-80g -g 16 tp2 -o /no/such/folder/p.html; echo "exit $?"
# a search's page says how many plans so near the edge of the memory fitted
reckon report --search -m llama3.1-8b -s h100-sxm5-80g -g 8 -b 8 --headroom none -o edge.html; grep -o '>Best plan is unsure: P(fits) [0-9]* %' edge.html; grep -c '>fits in<' edge.html
# timeline's page draws the schedule, of several clusters, too
reckon timeline -m llama3.1-8b -s h100-sxm5-80g tp2 pp4 gbs16 zero1 -o timeline.html; grep -o '<h1>[^<]*\|<h2[^<]*\|id="schedule"' timeline.html | sort -u
two="h100-sxm5-80g x8 + a100-sxm4-80g x8 link=100Gb/s@50us"
reckon search -q -m llama3.1-8b -s "$two" -b 16 tp8 --save-plan two.json -o two.html; grep -o '<h1>[^<]*' two.html; reckon timeline -m llama3.1-8b -s "$two" --plan two.json -o timeline.html; grep -o 'id="schedule"' timeline.html | sort -u
=== stdout
exit 0
the same
exit 1
exit 1
fits.html:<h1>llama3.1-8b on h100-sxm5-80g
fits.html:>does not fit: memory tier 0
refused.html:<h1>llama3.1-405b on h100-sxm5-80g
refused.html:>does not fit: memory tier 0
<h1>The best plans for llama3.1-8b on h100-sxm5-80g
class="verdict good
<figure id="frontier
<figure id="best-time
<figure id="outcomes
<figure id="axes
the same page
{
exit 4
>Best plan is unsure: P(fits) 56 %
1
<h1>llama3.1-8b on h100-sxm5-80g, 8 GPUs, detailed model
<h2 id="section-schedule">The pipeline
id="schedule"
<h1>The best plans for llama3.1-8b on h100-sxm5-80g x8 + a100-sxm4-80g x8 link=100Gb/s@50us
id="schedule"
=== stderr
reckon: /no/such/folder/p.html: cannot write: folder /no/such/folder: No such file or directory
