# sure that it fits, sure that it does not, and between: exit statuses 0, 1, 2; bounds are settable
reckon fits llama3.1-8b a100-sxm4-80g -g 1 framework=fsdp lora=16 seq2048 recompute=full gbs1 >answer; echo "exit $?"
reckon fits llama3.1-8b a100-sxm4-80g -g 1 framework=fsdp seq2048 recompute=full gbs1 >answer; echo "exit $?"
reckon fits llama3.1-8b "a100-sxm4-80g x8" framework=fsdp zero3 seq32768 recompute=full gbs8 mbs1 --sure 90,20 >answer; echo "exit $?"
reckon fits llama3.1-8b "a100-sxm4-80g x8" framework=fsdp zero3 seq32768 recompute=full gbs8 mbs1 --sure 90,20 | head -1
reckon fits llama3.1-8b a100-sxm4-80g -g 1 framework=fsdp lora=16 gbs1 --sure 20,75; echo "exit $?"
reckon fits llama3.1-8b a100-sxm4-80g -g 1 framework=fsdp lora=16 gbs1 --sure often; echo "exit $?"
# a single bound, of a plan that is predicted to need a little less than there is; the same with a headroom that it keeps
reckon fits llama3.1-70b "h100-sxm5-80g x256 leaf=32,over=8" dp16 tp4 pp4 vpp10 gbs512 sp zero1 --sure 60 | head -1
reckon fits llama3.1-70b "h100-sxm5-80g x256 leaf=32,over=8" dp16 tp4 pp4 vpp10 gbs512 sp zero1 --headroom none >answer; echo "exit $?"; head -1 answer
# a lower tier that is too small, whatever the device's
reckon fits llama3.1-8b "a100-sxm4-80g x8 mem2=1GiB@50GB/s" framework=fsdp zero3 gbs8 mbs1 seq8704 no-fused offload-optimizer=1 >answer; echo "exit $?"
# a plan that fits and that the framework does not start is no plan to go on with
reckon fits llama3.1-8b 'h100-sxm5-80g x8' tp8 gbs8 offload-optimizer >answer; echo "exit $?"; head -1 answer
=== stdout
exit 0
exit 1
exit 0
fits: P(fits) 91 %, 16.61 s per step (50 % 16.35-21.38 s), MFU 44.8 %, memory 46.0 of 79.2 GiB, 280.2 USD per 1B tokens
exit 2
exit 2
does not fit: P(fits) 46 %, memory 78.6 of 79.2 GiB on stage 0 of 0-3
exit 2
unsure: P(fits) 46 %, 17.31 s per step (50 % 16.11-21.28 s), MFU 43.0 %, memory 78.6 of 79.2 GiB on stage 0 of 0-3, 730.9 USD per 1B tokens
exit 1
exit 1
fits: P(fits) 100 %, 6.206 s per step (50 % 5.198-10.28 s), MFU 6.9 %, memory 20.3 of 79.2 GiB, 524.0 USD per 1B tokens
=== stderr
reckon: --sure: "20,75" is not a pair of percentages of 5 to 100 such as 75,20, the larger first, and no single one such as 50: they are bounds of P(fits), not shares of the memory
reckon: --sure: "often" is not a pair of percentages of 5 to 100 such as 75,20, the larger first, and no single one such as 50: they are bounds of P(fits), not shares of the memory
reckon: the plan cannot be launched: 12.needs optimizer_offload: optimizer and weights are offloaded together: give offload-optimizer=1 offload-weights=1
reckon: the plan cannot be launched: 12.needs optimizer_offload: the optimizer can be offloaded from ZeRO-1 on: give zero1
