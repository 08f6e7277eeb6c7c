reckon search --framework calculon -m gpt3-13b -s "a100-80g x16 nvl4 hbm=2GiB mem2=16GiB@50GB/s" -g 8 -b 16 --tensor 4 -q --format json >out.json
echo $?
sed -n '/"misses"/,/},/p; /"changes"/,$p' out.json | grep -v '_network\|interleaving\|overlap\|training'
=== stdout
1
  "misses": [
    {
      "limit": "memory",
      "tier": 0,
      "name": "HBM2e",
      "need": 23290005280,
      "have": 2147483648,
      "headroom": 0,
      "step_s": 3.0564275565113865,
    },
  "changes": [
    {
      "change": "memory",
      "cluster": null,
      "tier": 0,
      "name": "HBM2e",
      "helps": true,
      "from": 2147483648,
      "to": 23290005280,
      "step_s": 3.0564275565113865,
      "samples_per_s": 5.234869698093691,
    },
    {
      "change": "memory",
      "cluster": null,
      "tier": 1,
      "name": "host",
      "helps": false,
      "from": 17179869184,
      "to": null,
      "step_s": null,
      "samples_per_s": null,
      "plan": null
    },
    {
      "change": "network",
      "cluster": null,
      "tier": 0,
      "name": "NVLink3",
      "helps": false,
      "from": 4,
      "to": null,
      "step_s": null,
      "samples_per_s": null,
      "plan": null
    },
    {
      "change": "restriction",
      "cluster": null,
      "tier": null,
      "name": "tensor",
      "helps": false,
      "from": null,
      "to": null,
      "step_s": null,
      "samples_per_s": null,
      "plan": null
    },
    {
      "change": "fewer_gpus",
      "cluster": null,
      "tier": null,
      "name": null,
      "helps": false,
      "from": 8,
      "to": null,
      "step_s": null,
      "samples_per_s": null,
      "plan": null
    },
    {
      "change": "more_gpus",
      "cluster": null,
      "tier": null,
      "name": null,
      "helps": false,
      "from": 8,
      "to": null,
      "step_s": null,
      "samples_per_s": null,
      "plan": null
    },
    {
      "change": "smaller_batch",
      "cluster": null,
      "tier": null,
      "name": null,
      "helps": false,
      "from": 16,
      "to": null,
      "step_s": null,
      "samples_per_s": null,
      "plan": null
    },
    {
      "change": "larger_batch",
      "cluster": null,
      "tier": null,
      "name": null,
      "helps": false,
      "from": 16,
      "to": null,
      "step_s": null,
      "samples_per_s": null,
      "plan": null
    }
  ]
}
