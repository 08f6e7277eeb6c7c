# What a framework overlaps unless told not to, and a plan leaves out, is said; not what a word says, nor what nobody overlaps.
for plan in 'framework=fsdp zero3' 'framework=fsdp' 'framework=fsdp zero3 grad-overlap' 'framework=fsdp zero3 grad-overlap no-weight-overlap' \
    'framework=deepspeed zero2' 'framework=deepspeed zero3' 'framework=megatron zero1' 'framework=fsdp zero3 dp1'; do
    gpus=8
    case $plan in *dp1*) gpus=1 ;; esac
    echo "$plan: $(reckon predict llama3.2-1b h100-sxm5-80g -g $gpus gbs32 $plan | tr '\n' ' ' | tr -s ' ' | grep -o '[a-z ]* not overlapped ([^)]*)')"
done
=== stdout
framework=fsdp zero3:  gradients and weights not overlapped (fsdp overlaps by itself: say grad-overlap weight-overlap)
framework=fsdp:  gradients not overlapped (fsdp overlaps by itself: say grad-overlap)
framework=fsdp zero3 grad-overlap:  weights not overlapped (fsdp overlaps by itself: say weight-overlap)
framework=fsdp zero3 grad-overlap no-weight-overlap: 
framework=deepspeed zero2: 
framework=deepspeed zero3:  gradients and weights not overlapped (deepspeed overlaps by itself: say grad-overlap weight-overlap)
framework=megatron zero1: 
framework=fsdp zero3 dp1: 
