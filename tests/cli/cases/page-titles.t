title() { grep -o '<h1>[^<]*' "$1"; grep -o '<p class="says">[^<]*' "$1"; }
# The plan is not a title, and the answer comes first.
reckon search -q -m llama3.1-8b -s h100,a100 -g 8 -b 64 tp8 pp1 cp1 -o machines.html; title machines.html | cut -c1-60
reckon support llama3.1-70b h100 tp4 pp2 zero1 -o support.html; title support.html | cut -c1-40
reckon program -m llama3.1-8b -s h100 -g 8 tp2 pp4 -o program.html; title program.html
reckon prices h100 -o prices.html; title prices.html
# Rows of one name are bars of their own, not one stacked bar.
grep -o '"id":"chart-prices".*"beside":true' prices.html | cut -c1-60; grep -o '\["on-demand",[^]]*' prices.html | head -1
# The shades of a grid have the unit of what they show.
reckon search -q -m llama3.1-8b,llama3.1-70b -s h100 -g 8,16 -b 64 tp8 -o grid.html; grep -o '"heat":{"title":"[^"]*' grid.html
# A file of data is not a page.
cp "$SOURCE/tests/data/megatron/llama3-70b.sh" .; reckon import llama3-70b.sh -o x.html; echo "exit $?"
reckon place -m llama3.1-8b -s h100 -g 8 tp8 -o x.html; echo "exit $?"
# What tokens cost, and at which price; with a whole run its days and cost instead.
reckon predict -m llama3.1-8b -s h100 -g 8 tp8 | sed -n '1s/.*GiB//p;/cost:/p'
reckon predict -m llama3.1-8b -s h100 -g 8 tp8 --tokens 1T | sed -n '1s/.*GiB//p;/cost:/p'
reckon predict -m llama3.1-8b -s mi300x -g 8 tp8 | sed -n '1s/.*GiB//p;/cost:/p'
reckon predict -m llama3.1-8b -s h100 -g 8 tp8 -o plan.html; title plan.html | sed 's/.*GiB//'
=== stdout
<h1>llama3.1-8b on 2 systems, detailed model: 2 of 2 problem
<p class="says">most tokens per second: h100-sxm5-80g; fits:
<h1>Measured runs like llama3.1-70b on h
<p class="says">well covered: 3 runs fro
<h1>Programs of the ranks of one step
<p class="says">Llama3.1-8b on h100-sxm5-80g, 8 GPUs: 4 programs
<h1>Prices of accelerators
<p class="says">2.49 USD per GPU-hour (h100-sxm5, neocloud) to 12.29 (h100-sxm5, on-demand)
"id":"chart-prices","title":"Price of a GPU-hour","kind":"ba
["on-demand","#4c78a8","points"
"heat":{"title":"
"heat":{"title":"tokens/s/GPU
exit 2
exit 2
, 110.0 USD per 1B tokens
  cost: 2.49 USD per GPU-hour (cheapest listed: neocloud, 2026-01-15), without failures
, 231.3 days and 110.6k USD
, 115.2 USD per 1B tokens
  cost: 1.99 USD per GPU-hour (cheapest listed: neocloud, 2026-05-18), without failures
<h1>llama3.1-8b on h100-sxm5-80g
, 110.0 USD per 1B tokens
=== stderr
reckon: note: llama3-70b.sh is read as a launch script of Megatron-LM: reckon import megatron
reckon: -o: x.html ends in .html, but this option writes data, not a page: name another file; `reckon report` and `reckon place --draw` write pages
reckon: -o: x.html ends in .html, but this option writes data, not a page: name another file; `reckon report` and `reckon place --draw` write pages
