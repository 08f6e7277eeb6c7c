# A step as `reckon train --trace` writes it, over the predicted one: two stages, two microbatches. What
# follows each other within a pass is one span; memory is that of the step's tensors.
on="-m gpt2-124m -s h100-sxm5-80g pp2 mbs1 gbs2 precision=bf16"
reckon report $on --measured "$SOURCE/tests/data/cases/report-measured/step.json" -o page.html --charts charts; echo $?
grep 'measured' charts/measured.csv
grep 'measured' charts/measured-memory.csv
grep -c predicted charts/measured.csv
grep -o '<h2 id="section-measured"[^/]*' page.html
reckon report -m gpt2-124m -s h100-sxm5-80g gpus2 gbs2 --measured "$SOURCE/tests/data/cases/report-measured/step.json" -o none.html 2>&1 | sed 's|.*/||'
echo '{"traceEvents": []}' >other.json
reckon report $on --measured other.json -o none.html
reckon report --search -m gpt2-124m -s h100-sxm5-80g -g 8 -b 8 --measured "$SOURCE/tests/data/cases/report-measured/step.json" -o none.html; ls none.html
# Where the buffers of a step lie; transfers and reductions on their links.
reckon report -m gpt2-124m -s h100-sxm5-80g gpus2 gbs2 --addresses --charts charts -o addresses.html; echo $?
grep -o 'id="addresses" data-rows="[0-9]*"' addresses.html; grep -o '[0-9]* buffers\..*Addresses upwards' addresses.html; grep -c . charts/links.csv
reckon report 'gpus2 gbs2' 'gpus2 gbs4' -m gpt2-124m -s h100-sxm5-80g --addresses -o none.html
=== stdout
0
"stage 0, measured",forward,0,9.99999999999994e-05,0.0027999999999999995,0.0027
"stage 0, measured",messages,,0.0027999999999999995,0.002899999999999999,9.99999999999994e-05
"stage 0, measured",forward,1,0.002899999999999999,0.004599999999999999,0.0017000000000000001
"stage 0, measured",messages,,0.004599999999999999,0.0056,0.0010000000000000009
"stage 0, measured",backward,0,0.0056,0.007,0.0014000000000000002
"stage 0, measured",messages,,0.007,0.007799999999999999,0.0007999999999999986
"stage 0, measured",backward,1,0.007799999999999999,0.0092,0.001400000000000001
"stage 0, measured",optimizer,,0.0092,0.009499999999999998,0.0002999999999999982
"stage 1, measured",messages,,0,0.003,0.003
"stage 1, measured",forward,0,0.003,0.0045,0.0014999999999999996
"stage 1, measured",backward,0,0.0045,0.005499999999999999,0.0009999999999999992
"stage 1, measured",messages,,0.005499999999999999,0.0056,0.00010000000000000113
"stage 1, measured",messages,,0.0056,0.005699999999999999,9.99999999999994e-05
"stage 1, measured",forward,1,0.005699999999999999,0.0067,0.0010000000000000009
"stage 1, measured",backward,1,0.0067,0.007699999999999999,0.0009999999999999992
"stage 1, measured",optimizer,,0.007799999999999999,0.008,0.0002000000000000014
"stage 0, measured",0.001,1500
"stage 0, measured",0.0027999999999999995,4000
"stage 0, measured",0.002899999999999999,4000
"stage 0, measured",0.004599999999999999,8000
"stage 0, measured",0.0056,8000
"stage 0, measured",0.006299999999999999,6000
"stage 0, measured",0.007,4000
"stage 0, measured",0.007799999999999999,4000
"stage 0, measured",0.0085,2000
"stage 0, measured",0.0092,0
"stage 0, measured",0.009499999999999998,0
"stage 1, measured",0.003,1000
"stage 1, measured",0.003999999999999999,2000
"stage 1, measured",0.0045,3000
"stage 1, measured",0.004899999999999999,2500
"stage 1, measured",0.005499999999999999,2000
"stage 1, measured",0.0056,0
"stage 1, measured",0.005699999999999999,1000
"stage 1, measured",0.0067,2000
"stage 1, measured",0.0070999999999999995,1000
"stage 1, measured",0.007699999999999999,0
"stage 1, measured",0.008,0
18
<h2 id="section-measured">Measured and predicted<
step.json: 2 stages were measured, the plan has 1: give the plan of that run
0
id="addresses" data-rows="879"
307 buffers. Addresses upwards
2
=== stderr
reckon: other.json: no measured step in it: give what `reckon train --trace` wrote
reckon: --measured: a step is drawn over that of one plan: give that plan, in words or as a file
ls: cannot access 'none.html': No such file or directory
reckon: --addresses: buffers are of one plan: give that plan, in words or as a file
=== exit 2
