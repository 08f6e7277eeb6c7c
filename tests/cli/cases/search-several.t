reckon search --framework calculon -m gpt3-13b,gpt3-175b -s a100-80g-nvl8 -s 'h100-80g x128 nvl8' -g 8,128,256 -b 128 --tensor 1..8 -q
reckon search --framework calculon -m gpt3-13b -m gpt3-175b -s a100-80g-nvl8 -g 1 -b 8 -q --format json
echo $?
=== stdout
most tokens per second: gpt3-13b, h100-80g x128 nvl8, 128 GPUs; fits: 345.1 ms per step, MFU 48.1 %, memory 46.1 of 80.0 GiB
  plan: framework=calculon dp16 tp4 pp2 vpp20 mbs4 gbs128 sp tp-overlap grad-overlap
  offload-optimizer=1 offload-weights=1 tp-net=0 pp-net=0 dp-net=1
2 models on 2 systems, Calculon model: 10 of 12 problems have a plan

Best plan of each problem
model      system              GPUs      plans     fits      step  tokens/s/GPU    MFU  memory  best plan
                                                                s                    %     GiB
gpt3-13b   a100-80g-nvl8          8    510,112  299,192   12.1843        2689.4  69.92    75.5  framework=calculon dp4 tp2 mbs2 gbs128 sp tp-overlap zero1 grad-overlap tp-net=0 pp-net=0 dp-net=0
gpt3-13b   a100-80g-nvl8        128    787,360  386,520    0.8176        2504.8  65.11    44.3  framework=calculon dp16 tp4 pp2 vpp20 mbs4 gbs128 sp tp-overlap zero1 grad-overlap offload-optimizer=1 offload-weights=1 tp-net=0 pp-net=0 dp-net=1
gpt3-13b   a100-80g-nvl8        256    589,760  271,624    0.4319        2371.2  61.66    45.5  framework=calculon dp32 tp4 pp2 vpp20 mbs2 gbs128 sp tp-overlap grad-overlap tp-net=0 pp-net=0 dp-net=1
gpt3-13b   h100-80g x128 nvl8     8    510,112  299,192    4.9376        6636.4  53.83    44.7  framework=calculon dp4 tp2 mbs2 gbs128 sp tp-overlap zero1 grad-overlap offload-optimizer=1 offload-weights=1 tp-net=0 pp-net=0 dp-net=0
gpt3-13b   h100-80g x128 nvl8   128    787,360  386,520    0.3451        5934.7  48.14    46.1  framework=calculon dp16 tp4 pp2 vpp20 mbs4 gbs128 sp tp-overlap grad-overlap offload-optimizer=1 offload-weights=1 tp-net=0 pp-net=0 dp-net=1
gpt3-13b   h100-80g x128 nvl8   256          0        0         -             -      -       -  none: the system has 128 GPUs
gpt3-175b  a100-80g-nvl8          8    844,512   32,626  159.5905        205.33  70.63    58.4  framework=calculon tp8 mbs16 gbs128 sp regather tp-overlap recompute=selective offload-activations=1 offload-optimizer=1 tp-net=0 pp-net=0 dp-net=0
gpt3-175b  a100-80g-nvl8        128  3,219,360  707,100    9.2054        222.48  76.52    48.6  framework=calculon dp16 tp4 pp2 vpp48 mbs4 gbs128 sp tp-overlap zero1 grad-overlap recompute=selective offload-activations=1 offload-optimizer=1 tp-net=0 pp-net=0 dp-net=1
gpt3-175b  a100-80g-nvl8        256  2,850,304  709,730    4.9005        208.96  71.88    75.7  framework=calculon dp8 tp8 pp4 vpp12 mbs2 gbs128 sp tp-overlap zero1 grad-overlap offload-optimizer=1 tp-net=0 pp-net=1 dp-net=1
gpt3-175b  h100-80g x128 nvl8     8    844,512   32,626   51.7570        633.11  67.95    20.4  framework=calculon dp2 tp4 mbs8 gbs128 sp tp-overlap zero1 grad-overlap recompute=selective offload-activations=1 offload-optimizer=1 offload-weights=1 tp-net=0 pp-net=0 dp-net=0
gpt3-175b  h100-80g x128 nvl8   128  3,219,360  707,100    3.4767        589.07  63.22    10.0  framework=calculon dp8 tp8 pp2 vpp16 mbs8 gbs128 sp tp-overlap zero1 grad-overlap offload-activations=1 offload-optimizer=1 offload-weights=1 tp-net=0 pp-net=1 dp-net=1
gpt3-175b  h100-80g x128 nvl8   256          0        0         -             -      -       -  none: the system has 128 GPUs
{
  "command": "search",
  "complete": true,
  "problems": [
    {
      "model": "gpt3-13b",
      "system": "a100-80g-nvl8",
      "gpus": 1,
      "batch": 8,
      "predictor": "calculon",
      "plans": 304,
      "fits": 117,
      "step_s": 7.935306512544353,
      "samples_per_s": 1.0081526135573184,
      "tokens_per_s": 2064.696552565388,
      "tokens_per_s_gpu": 2064.696552565388,
      "mfu": 0.5367792938138496,
      "hbm_bytes": 59700502880,
      "fits_share": null,
      "days": null,
      "cost_usd": null,
      "gpus_used": null,
      "step_usd": null,
      "price_usd_per_hour": null,
      "price_kind": null,
      "cost_per_trillion_usd": null,
      "power_kW": null,
      "energy_kWh": null,
      "p5": null,
      "p25": null,
      "p75": null,
      "p95": null,
      "measured_runs": 0,
      "plan": "framework=calculon mbs8 gbs8 recompute=full offload-optimizer=1 tp-net=0 pp-net=0 dp-net=0",
      "reason": null
    },
    {
      "model": "gpt3-175b",
      "system": "a100-80g-nvl8",
      "gpus": 1,
      "batch": 8,
      "predictor": "calculon",
      "plans": 304,
      "fits": 0,
      "step_s": null,
      "samples_per_s": null,
      "tokens_per_s": null,
      "tokens_per_s_gpu": null,
      "mfu": null,
      "hbm_bytes": null,
      "fits_share": null,
      "days": null,
      "cost_usd": null,
      "gpus_used": null,
      "step_usd": null,
      "price_usd_per_hour": null,
      "price_kind": null,
      "cost_per_trillion_usd": null,
      "power_kW": null,
      "energy_kWh": null,
      "p5": null,
      "p25": null,
      "p75": null,
      "p95": null,
      "measured_runs": null,
      "plan": null,
      "reason": "memory tier 0 (HBM2e) is too small"
    }
  ]
}
0
