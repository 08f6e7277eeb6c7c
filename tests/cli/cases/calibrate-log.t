for i in 1 2 3 4 5 6 7 8 9 10; do echo "train_step_timing in s: 3.7$i"; done >train.log
reckon predict -m llama3.1-8b -s h100-sxm5-80g --gpus 8 tp2 zero1 gbs32 sp --save-plan plan.json >predicted
reckon calibrate h100-sxm5-80g --log train.log -m llama3.1-8b --plan plan.json | cut -c1-30
reckon calibrate h100-sxm5-80g --log train.log
=== stdout
Error of predicted times, mean
of     measurements  before  9
                          %   
steps             4     2.1   

Constants, in the units of sys
constant   before  after
sustained    0.78  0.759
=== stderr
reckon: calibrate: --log needs --model and --plan: what the run was
=== exit 2
