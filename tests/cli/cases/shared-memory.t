# what GPUs share of a lower memory, said whole: as if each had its part, in every command; what cannot be shared
own='a800-sxm4-80g mem2=250GB@12GB/s,read=14GB/s'
whole='a800-sxm4-80g mem2=2TB@24GB/s,read=28GB/s,capacity_shared_by=8,bandwidth_shared_by=2'
drives='ssd=8*samsung-980pro-1tb,path=host,capacity_shared_by=8,bandwidth_shared_by=8'
alone='a800-sxm4-80g mem2=2TB@24GB/s,read=28GB/s ssd=8*samsung-980pro-1tb,path=host'
# but for the system's line and the number of drives
ask() {
    machine=$1
    shift
    "$@" "$machine" | sed '/"id": "a800/d; s/8x samsung/1x samsung/'
}
compare() {
    what=$1
    shift
    ask "$own ssd=1*samsung-980pro-1tb,path=host" "$@" >own.json
    ask "$whole $drives" "$@" >whole.json
    ask "$alone" "$@" >alone.json
    test -s own.json && cmp own.json whole.json && echo "$what: the same"
    cmp -s own.json alone.json || echo "$what: another one when nothing is shared"
}
compare offload reckon offload -f json --lifetime 5 -m memo-7b gpus8 cp8 cp-kind=ulysses zero3 gbs1 seq1048576 loss-in-chunks -s
compare longest reckon longest memo-7b --gpus 8 --step 65536 --no-lengths -f json -s
compare search reckon search -f json -m llama3.1-8b -g 8 -b 32 -q -k 20 --activation-shares 0.5,0.75,1.5 -s
compare predict reckon predict -f json -m llama3.1-8b gpus8 tp2 gbs8 seq32768 offload-activations=1.5 recompute-rest -s
# a run on fewer GPUs has the node to itself: as if there were no more
few() {
    for gpus in 1 2 4; do
        for none in "" " x$gpus"; do
            "$@" -g $gpus -s "$whole $drives$none" |
                grep -Ev '"id": "a800|devices|assumed|shared_by|_Bps|"capacity_bytes|price|endurance' >"few${none:+er}.json"
        done
        test -s few.json && cmp few.json fewer.json && echo "$gpus GPUs: the same"
    done
}
few reckon predict -f json -m llama3.1-8b gbs8 seq32768 offload-activations=0.5+1.25 offload-optimizer offload-weights
few reckon search -f json -m llama3.1-8b -b 32 -q -k 5 --activation-shares 0.5,0.75,1.5
few reckon offload -f json --lifetime 5 -m memo-7b zero3 gbs4 seq131072
# what is there, and with fewer GPUs
reckon systems "$whole" | sed -n '/^Memory/,/^Net/p'
reckon systems "$whole x4" | sed -n '/^Memory/,/^Net/p'
reckon predict -m llama3.1-8b -s "$whole" gpus4 tp4 gbs8 | sed -n "/assumed/,/flash/p"
reckon predict -m llama3.1-8b -s "$whole x4" tp4 gbs8 | sed -n "/assumed/,/flash/p"
for line in hbm.capacity_shared_by=8 hbm=80GiB@2TB/s,bandwidth_shared_by=2 mem2=2TB@24GB/s,capacity_shared_by=0 \
    mem2=2TB@24GB/s,capacity_shared_by=1.5 mem2=2TB@24GB/s,capacity_shred_by=2 ssd=8*samsung-980pro-1tb,bandwidth_shared_by=all \
    ssd=8*samsung-980pro-1tb,shared_by=8; do
    reckon systems "a800-sxm4-80g $line" >/dev/null
    echo "exit $?"
done
# in a file
memory() {
    sed "s|\"memory\": \[|&$1|" "$RECKON_SOURCE/data/systems/a10g.json" >s.json
    reckon systems ./s.json 2>&1 >/dev/null | sed 's/:[0-9]*:[0-9]*:/:/'
}
plain='"capacity_GiB": 100, "bandwidth_GBps": 5, "efficiency_from_MB": [[0, 1]]'
memory "{$plain, \"bandwidth_shared_by\": 2},"
memory "{$plain}, {$plain, \"capacity_shared_by\": 0},"
memory "{$plain}, {$plain, \"capacity_shared_by\": 2.5},"
memory "{$plain}, {\"drive\": \"samsung-980pro-1tb\", \"drives\": 8, \"capacity_shared_by\": -1},"
memory "{$plain}, {\"drive\": \"samsung-980pro-1tb\", \"drives\": 8, \"capacity_shared_by\": 8},"
reckon systems "./s.json mem2.bandwidth_shared_by=4 mem2.capacity_shared_by=2" | sed -n '/^Memory/,/^Net/p'
=== stdout
offload: the same
offload: another one when nothing is shared
longest: the same
longest: another one when nothing is shared
search: the same
search: another one when nothing is shared
predict: the same
predict: another one when nothing is shared
few.json fewer.json differ: char 387, line 14
few.json fewer.json differ: char 391, line 14
few.json fewer.json differ: char 391, line 14
few.json fewer.json differ: char 3588, line 152
few.json fewer.json differ: char 3719, line 152
4 GPUs: the same
1 GPUs: the same
2 GPUs: the same
4 GPUs: the same
Memory of a device
tier  name    capacity   bandwidth  achieved
                                           %
   0  HBM2e   79.2 GiB   2.04 TB/s      90.0
   1  mem2   232.8 GiB  12.00 GB/s     100.0

  memory tier 1 (mem2): 8 accelerators share 1.819 TiB,
  2 accelerators share 24 GB/s; the table has the part of each

Networks, per device; what each of p ranks moves of n bytes, over n
Memory of a device
tier  name    capacity   bandwidth  achieved
                                           %
   0  HBM2e   79.2 GiB   2.04 TB/s      90.0
   1  mem2   465.7 GiB  12.00 GB/s     100.0

  memory tier 1 (mem2): 4 accelerators share 1.819 TiB,
  2 accelerators share 24 GB/s; the table has the part of each

Networks, per device; what each of p ranks moves of n bytes, over n
  assumed: precision bf16, framework megatron, microbatch 1, sequence 8192 (the model's),
  mem2 for this run alone, 4 of the 8 GPUs that share it, attention flash
  assumed: gpus 4 (all of the system), precision bf16, framework megatron, microbatch 1,
  sequence 8192 (the model's), attention flash
exit 2
exit 2
exit 2
exit 2
exit 2
exit 2
exit 2
reckon: ./s.json: memory[0].bandwidth_shared_by: the first memory is not shared by accelerators: remove it, or give it to a lower one
reckon: ./s.json: memory[1].capacity_shared_by: must be >= 1, got 0
reckon: ./s.json: memory[1].capacity_shared_by: must be an integer, got 2.5
reckon: ./s.json: memory[1].capacity_shared_by: must be >= 1, got -1
Memory of a device
tier  name                    capacity    bandwidth  achieved
                                                            %
   0  hbm                    100.0 GiB    5.00 GB/s     100.0
   1  8x samsung-980pro-1tb    3.6 TiB   10.00 GB/s     100.0
   2  GDDR6                   22.1 GiB  600.00 GB/s      90.0

  memory tier 1 (8x samsung-980pro-1tb): 2 accelerators share 7.276 TiB,
  4 accelerators share 40 GB/s; the table has the part of each

Networks, per device; what each of p ranks moves of n bytes, over n
=== stderr
reckon: the plan cannot be launched: 12.needs optimizer_offload: the optimizer can be offloaded from ZeRO-1 on: give zero1
reckon: the plan cannot be launched: 12.needs optimizer_offload: the optimizer can be offloaded from ZeRO-1 on: give zero1
reckon: the plan cannot be launched: 12.needs optimizer_offload: the optimizer can be offloaded from ZeRO-1 on: give zero1
reckon: the plan cannot be launched: 12.needs optimizer_offload: the optimizer can be offloaded from ZeRO-1 on: give zero1
reckon: the plan cannot be launched: 12.needs optimizer_offload: the optimizer can be offloaded from ZeRO-1 on: give zero1
reckon: the plan cannot be launched: 12.needs optimizer_offload: the optimizer can be offloaded from ZeRO-1 on: give zero1
reckon: "a800-sxm4-80g hbm.capacity_shared_by=8":1:15: the first memory is not shared by accelerators: only lower ones, mem2 and on, can be
reckon: "a800-sxm4-80g hbm=80GiB@2TB/s,bandwidth_shared_by=2":1:15: the first memory is not shared by accelerators: only lower ones, mem2 and on, can be
reckon: "a800-sxm4-80g mem2=2TB@24GB/s,capacity_shared_by=0":1:50: must be an integer from 1 to 2^53
reckon: "a800-sxm4-80g mem2=2TB@24GB/s,capacity_shared_by=1.5":1:50: must be an integer from 1 to 2^53
reckon: "a800-sxm4-80g mem2=2TB@24GB/s,capacity_shred_by=2":1:31: unknown property "capacity_shred_by": did you mean "capacity_shared_by"?
reckon: "a800-sxm4-80g ssd=8*samsung-980pro-1tb,bandwidth_sha...":1:60: must be an integer from 1 to 2^53
reckon: "a800-sxm4-80g ssd=8*samsung-980pro-1tb,shared_by=8":1:40: drives have raid=0, 1, 5 or 10, path=gds or host, write_amplification=N and retention_gain=N of at least 1, capacity_shared_by=N and bandwidth_shared_by=N
