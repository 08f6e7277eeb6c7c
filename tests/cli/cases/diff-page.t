# Options change the first plan, or the second; a page has both side by side; report makes the same one.
on="-m llama3.1-70b -s h100-sxm5-80g"
reckon diff 'gpus64 tp8 pp2 sp zero1 gbs128' --tensor 4 --pipeline 8 $on | sed -n 2,14p
reckon diff 'gpus64 tp8 pp2 sp zero1 gbs128' '+tp4' --pipeline 8 $on --save-plan b.json | grep '^B  '
reckon diff 'gpus64 tp8 pp2 sp zero1 gbs128' b.json $on -o page.html; echo $?
grep -c '<svg' page.html; grep -o '<h2 id="[a-z-]*"' page.html
reckon report 'gpus64 tp8 pp2 sp zero1 gbs128' b.json $on -o report.html; cmp page.html report.html && echo 'the same page'
reckon diff 'gpus64 tp8' --best --tensor 4 $on
reckon report 'gpus64 tp8' '+tp4' zero1 $on -o none.html
reckon diff 'gpus64 tp8' --tensr 4 $on; ls
# the commands on the page of a script run as they stand there
cp "$RECKON_SOURCE/tests/data/megatron/llama3-70b.sh" .
reckon diff llama3-70b.sh --best --headroom 5GiB -s h100 -o script.html
sed -n '/pre class="command"/,/<\/pre>/p' script.html | sed 's/<[^>]*>//g' | grep '^reckon' >commands
cut -c1-24 commands
sh -e commands >/dev/null && echo "they run"
=== stdout
llama3.1-70b on h100-sxm5-80g
A  gpus64 tp8 pp2 sp zero1 gbs128: 19.78 s per step, 61.21 GiB
  plan: dp4 tp8 pp2 gbs128 sp zero1
  50 % interval 18.18-25.15 s, 90 % interval 14.59-42.25 s (cross-validated on Hopper, dense,
  megatron: 310 runs from 24 sources); 50 % interval of tuned benchmarks 17.19-24.98 s,
  of ordinary runs 18.43-25.34 s
B  A with options: 18.75 s per step, 73.53 GiB, unsure: P(fits) 66 %
  plan: dp2 tp4 pp8 gbs128 sp zero1
  50 % interval 17.40-23.18 s, 90 % interval 14.33-36.66 s (cross-validated on Hopper, dense,
  megatron: 310 runs from 24 sources); 50 % interval of tuned benchmarks 16.56-23.05 s,
  of ordinary runs 17.62-23.34 s

Differences, and the effect of each key: A with it alone, B without it
B  : 18.75 s per step, 73.53 GiB, unsure: P(fits) 66 %
0
2
<h2 id="section-summary"
<h2 id="section-differences"
<h2 id="section-inputs"
the same page
b.json
page.html
report.html
reckon import megatron l
reckon export megatron -
reckon fits model.json h
reckon timeline -m model
they run
=== stderr
reckon: --best: give it, or a second plan, and not both
reckon: two plans are compared: leave out zero1, or write it into one of them
reckon: "--tensr" is not known, did you mean --tensor? reckon diff --help-all lists all flags
