# sure that it fits, sure that it does not, and between: exit statuses 0, 1, 2; bounds are settable
reckon fits llama3.1-8b a100-sxm4-80g -g 1 framework=fsdp lora=16 seq2048 recompute=full gbs1 >answer; echo "exit $?"
reckon fits llama3.1-8b a100-sxm4-80g -g 1 framework=fsdp seq2048 recompute=full gbs1 >answer; echo "exit $?"
reckon fits llama3.1-8b "a100-sxm4-80g x8" framework=fsdp zero3 seq32768 recompute=full gbs8 mbs1 --sure 90,20 >answer; echo "exit $?"
reckon fits llama3.1-8b "a100-sxm4-80g x8" framework=fsdp zero3 seq32768 recompute=full gbs8 mbs1 --sure 90,20 | head -1
reckon fits llama3.1-8b a100-sxm4-80g -g 1 framework=fsdp lora=16 gbs1 --sure 20,75; echo "exit $?"
reckon fits llama3.1-8b a100-sxm4-80g -g 1 framework=fsdp lora=16 gbs1 --sure often; echo "exit $?"
=== stdout
exit 0
exit 1
exit 2
unsure: P(fits) 86 %, 16.61 s per step (50 % 17.72-23.84 s), MFU 44.8 %, memory 46.0 of 80.0 GiB
exit 2
exit 2
=== stderr
reckon: --sure: "20,75" is not a pair of percentages of 1 to 100 such as 75,20, the larger first, and no single one such as 50
reckon: --sure: "often" is not a pair of percentages of 1 to 100 such as 75,20, the larger first, and no single one such as 50
