# What a reader would ask of a number is said next to it.
# A prediction may lie outside of its 50 % interval.
reckon predict llama3.1-8b a100-sxm4-80g -g 8 framework=deepspeed zero3 recompute=full | grep -o 'time: 50 %\|half of which .*predicted step'
reckon predict llama3.1-8b a100-sxm4-80g -g 8 framework=deepspeed zero3 recompute=full | grep -o 'half of runs like it took more than' | sort -u
reckon search -m llama3.1-70b -s h100-sxm5-80g -g 64 -b 256 2>/dev/null | grep '^not shown'
# A comparison begins with its result, and with what does not fit.
words="gpus64 tp8 pp2 sp zero1 gbs128"
reckon diff "$words" +pp4 -m llama3.1-70b -s h100-sxm5-80g | sed -n '1s/[0-9.]*[0-9]/N/g;1p'
reckon diff "$words" "+tp1 pp1" -m llama3.1-70b -s h100-sxm5-80g | sed -n '1s/[0-9.]*[0-9]/N/g;1p'
reckon diff "$words" +tp8 -m llama3.1-70b -s h100-sxm5-80g | sed -n '1,2p'
reckon timeline -m llama3.1-8b -s h100-sxm5-80g -g 8 tp2 pp2 gbs16 sp zero1 | grep '^schedule'
# Points of a column stand below each other, in the terminal and on the page.
reckon serve -m llama2-70b -s h100-sxm5-80g tp4 --batch 1,4 -o page.html
grep -o '>[0-9]*[.][0-9]*</td>' page.html | sed 's/[1-9]/N/g' | sort | uniq -c | sed 's/^ *//'
# What helps a plan that does not fit stands on its page, too.
reckon predict llama3.1-70b h100-sxm5-80g -g 8 tp8 -o refused.html
grep -o 'Remedy: [^:<]*' refused.html
# Each refusal ends with what to do.
reckon predict
reckon predict llama3.1-8b
reckon search llama3.1-8b h100 -b 8
reckon diff tp8 -m llama3.1-70b -s h100
reckon calibrate h100 --log run.log -m llama3.1-8b tp8
reckon import run.sh
reckon train -m gpt2-124m -d nothing.bin >/dev/null
reckon generate -m gpt2-124m -l nothing hello >/dev/null
reckon search -m llama3.1-8b -s h100 -g 8 -b 8 --sort speed
=== stdout
time: 50 %
not shown: 3 plans of the same time and memory as a plan above
both fit: B takes N % more time than A, N s against N s per step, N times the throughput
A fits, B does not fit: B would take N % less time than A, N s against N s per step, N times the throughput
both fit: the plans are the same
llama3.1-70b on h100-sxm5-80g
schedule 1f1b: 2 stages of 1 chunk each, 8 microbatches, 32 passes; messages charged
1 >N0.NNN</td>
1 >NN.NN0</td>
1 >NN.NNN</td>
1 >NNN.N0</td>
Remedy: no change of one or two choices makes it fit
=== stderr
reckon: --model is missing: give an id, such as llama3.1-70b (`reckon models` lists them), or a config.json
reckon: --system is missing: give an id, such as h100 or "h100 x64" (`reckon systems` lists them), or a file
reckon: --gpus is missing: h100-sxm5-80g does not state a number: give --gpus 64, or --system "h100-sxm5-80g x64"
reckon: llama3.1-70b on h100-sxm5-80g: no plan can run (memory_exceeded): use more GPUs or shorter samples, or offload to a lower memory
reckon: too many arguments: "tp8" is not expected: --help shows the usage; words of a plan go to --plan
reckon: run.sh: cannot open: No such file or directory; check the path
reckon: nothing.bin: cannot open: No such file or directory; check the path
reckon: nothing: cannot open: No such file or directory; check the path
reckon: --sort: column 1 of "speed": unknown name speed: give a figure or an axis, such as time, hbm, mfu or tensor (reckon-search(1) lists them)
=== exit 2
