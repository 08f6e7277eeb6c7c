# sure that it fits, sure that it does not, and between: exit statuses 0, 1, 2; bounds are settable
reckon fits llama3.1-8b a100-sxm4-80g -g 1 framework=fsdp lora=16 seq2048 recompute=full gbs1 >answer; echo "exit $?"
reckon fits llama3.1-8b a100-sxm4-80g -g 1 framework=fsdp seq2048 recompute=full gbs1 >answer; echo "exit $?"
reckon fits llama3.1-8b a100-sxm4-80g -g 1 framework=fsdp lora=16 seq2048 recompute=full gbs1 --sure 0.1,0.9 >answer; echo "exit $?"
reckon fits llama3.1-8b a100-sxm4-80g -g 1 framework=fsdp lora=16 seq2048 recompute=full gbs1 --sure 0.1,0.9 | head -1
reckon fits llama3.1-8b a100-sxm4-80g -g 1 framework=fsdp lora=16 gbs1 --sure 1.2,0.9; echo "exit $?"
reckon fits llama3.1-8b a100-sxm4-80g -g 1 framework=fsdp lora=16 gbs1 --sure often; echo "exit $?"
=== stdout
exit 0
exit 1
exit 2
unsure: P(fits) 100 %, 583.0 ms per step (50 % 622.1-836.6 ms), MFU 35.3 %, memory 18.7 of 80.0 GiB
exit 2
exit 2
=== stderr
reckon: --sure: "1.2,0.9" is not a pair of shares of the memory such as 0.85,1.1, the smaller first, and no single one such as 1
reckon: --sure: "often" is not a pair of shares of the memory such as 0.85,1.1, the smaller first, and no single one such as 1
