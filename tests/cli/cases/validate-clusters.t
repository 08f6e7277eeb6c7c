# One kind on both clusters of a plan is that kind; a replica of a slower one is waited for; what is wrong with a row is said of it.
column='id,model,gpu,system,gpus,tp,pp,micro_batch,global_batch,precision,framework,recompute,zero,sp,metric_name,metric_value,clusters,stages'
row() { printf '%s,gpt2-355m,%s,%s,16,2,1,1,64,bf16,megatron,none,0,0,iter_time_s,1,"%s","%s"\n' "$1" "$2" "$2" "$3" "$4"; }
both='{""round"": 8, ""stages"": [{""layers"": 24, ""shares"": ""equal"", ""parts"": [{""cluster"": ""a"", ""words"": ""tp2 dp4""}, {""cluster"": ""b"", ""words"": ""tp2 dp4""}]}]}'
machine() { echo "h100-sxm5-80g x8 name=a + $1 x8 name=b link=400GB/s@0us"; }
{
    echo "$column"
    row one h100-sxm5-80g "" ""
    row alike h100-sxm5-80g "$(machine h100-sxm5-80g)" "$both"
    row mixed h100-sxm5-80g "$(machine a100-sxm4-80g)" "$both"
    row slow a100-sxm4-80g "" ""
    row third h100-sxm5-80g "$(machine h100-sxm5-80g)" '{""round"": 8, ""stages"": [{""layers"": 24, ""cluster"": ""c""}]}'
    row short h100-sxm5-80g "$(machine h100-sxm5-80g)" '{""round"": 8, ""stages"": [{""layers"": 23, ""cluster"": ""a""}]}'
    row nowhere h100-sxm5-80g "$(machine h100-sxm5-80g)" ""
} >runs.csv
reckon validate runs.csv -o - | cut -d, -f1,6,12,14-
=== stdout
id,predicted,verdict,reason
one,0.347,compared,
alike,0.3493,compared,
mixed,0.3579,compared,
slow,0.3674,compared,
third,,not modelled,"stages: stages[0].cluster: the machine has no cluster ""c"": the nearest is ""a"""
short,,not modelled,"stages: stages: 23 layers in all, the model has 24"
nowhere,,not modelled,clusters: the row has no stages to place on them
