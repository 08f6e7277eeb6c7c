# What predict cannot run, check calls an error, in the same words.
words="tp8 pp4 gbs256 sp zero1"
reckon check llama3.1-70b "h100 x32" -g 64 $words; echo "exit $?"
reckon predict llama3.1-70b "h100 x32" -g 64 $words | head -1
reckon diff -m llama3.1-70b -s "h100 x32" -g 64 "$words" "$words recompute=full" 2>/dev/null | grep -c 'cannot run: the plan needs 64 GPUs, h100-sxm5-80g x32 has 32'
reckon doctor -m llama3.1-70b -s "h100 x32" -g 64 --tflops 300 $words; echo "exit $?"
# does not fit: a warning, unsure: a note; within the error of a prediction neither stops a launch
reckon check llama3.1-70b h100 -g 64 tp8 pp4 gbs256 zero1 --waste 100; echo "exit $?"
reckon check llama3.1-8b h100 -g 16 tp2 gbs128 zero1 mbs2 --waste 100; echo "exit $?"
=== stdout
error 2.product: gpus: the plan needs 64 GPUs, h100-sxm5-80g x32 has 32
llama3.1-70b on h100-sxm5-80g x32: 1 error
exit 1
cannot run: the plan needs 64 GPUs, h100-sxm5-80g x32 has 32
2
exit 3
warning 5.stage: stage 0 87.0 GiB: does not fit, P(fits) 18 %: 79 GiB are there: sp needs 50 GiB
llama3.1-70b on h100-sxm5-80g: 1 warning
exit 0
note 5.stage: stage 0 81.5 GiB: unsure, P(fits) 24 %: 79 GiB are there: cp2 needs 56 GiB
llama3.1-8b on h100-sxm5-80g: 1 note
exit 0
=== stderr
reckon: this plan cannot run: the plan needs 64 GPUs, h100-sxm5-80g x32 has 32; is it the one that ran?
