# prices with date and source; other lists by file and by name
reckon prices
reckon prices h200 -f csv
reckon prices rtx4090
reckon prices --prices nowhere
printf 'accelerator,offer,usd_per_hour,date,source\nh100,mine,1.5,2026-02-01,our bill\n' > mine.csv
reckon prices --prices mine.csv -f json
reckon predict -m llama3.1-8b -s h100 tp1 gbs64 gpus8 --tokens 1T --prices mine.csv --price mine -f json | grep -E '"cost_usd"|"gpu_hours"'
printf 'accelerator,offer,usd_per_hour,date,source\nh100,mine,free,2026-02-01,our bill\n' > wrong.csv
reckon prices --prices ./wrong.csv
printf 'accelerator,usd_per_hour,date,source\nh100,1,2026-02-01,our bill\n' > columns.csv
reckon prices --prices ./columns.csv
=== stdout
Price of a GPU-hour
accelerator    offer      price  preempted every  date        source
                          USD/h                h
h100-sxm5      on-demand  12.29                -  2023-07-26  AWS p5.48xlarge, 98.32 USD for eight; nextplatform.com 2023-07-27
h100-sxm5      reserved   4.916                -  2024-12-01  AWS EC2 Capacity Blocks for ML, p5.48xlarge, 39.33 USD for eight
h100-sxm5      neocloud   2.490                -  2026-01-15  CoreWeave, Lambda, Crusoe: 2.49 to 2.85 USD on demand; digiterialabs.com, cloud GPU pricing Q1 2026
h100-sxm5      spot       4.300              100  2026-01-15  50 to 65 % below the 10.08 USD of AWS on demand; digiterialabs.com, cloud GPU pricing Q1 2026
h200-sxm       reserved   5.408                -  2024-12-01  AWS EC2 Capacity Blocks for ML, 43.26 USD for eight H200
h800-sxm5      rental     2.000                -  2024-12-27  [deepseek2024v3] Table 1 assumes 2 USD
a100-sxm4-40g  reserved   1.844                -  2024-12-01  AWS EC2 Capacity Blocks for ML, p4d.24xlarge, 14.75 USD for eight
a100-sxm4-80g  neocloud   1.990                -  2026-01-15  1.49 to 2.49 USD on demand; pricegpu.pages.dev, H100 vs A100 cloud pricing: their middle
b200-sxm       on-demand  8.600                -  2026-09-20  CoreWeave HGX B200, 68.80 USD for eight; coreweave.com/pricing
b200-sxm       neocloud   6.690                -  2026-09-20  Lambda, 8x NVIDIA B200 SXM6; lambda.ai/instances
gb200          on-demand  10.50                -  2026-09-20  CoreWeave GB200 NVL72, 42.00 USD for four; coreweave.com/pricing
mi300x         on-demand  6.000                -  2026-05-18  Azure and Oracle; cliffcenter.com, AMD inference economics
mi300x         neocloud   1.990                -  2026-05-18  median of offers of 1.50 (TensorWave) to 6 USD; cliffcenter.com, AMD inference economics
accelerator,offer,usd_per_hour,preempted_every_h,date,source
h200-sxm,reserved,5.408,,2024-12-01,"AWS EC2 Capacity Blocks for ML, 43.26 USD for eight H200"
{
  "prices": [
    {
      "accelerator": "h100",
      "offer": "mine",
      "usd_per_hour": 1.5,
      "preempted_every_h": null,
      "date": "2026-02-01",
      "source": "our bill"
    }
  ]
}
    "gpu_hours": 28538.21249718867,
    "cost_usd": 42807.318745783006,
      "cost_usd": 85407.9174046716
      "cost_usd": 42767.93221829062
      "cost_usd": 42682.729232249105
      "cost_usd": 42682.52091722435
      "cost_usd": 42806.474045142124
      "cost_usd": 42715.394358068486
=== stderr
reckon: no price of rtx4090 is in the list: give one, price=2.5
reckon: prices: no list "nowhere" in data/prices of the catalog: name one of these, or a file that ends in .csv or .json
reckon: ./wrong.csv:2: usd_per_hour: must be a number above 0, got "free"
reckon: ./columns.csv:1: no column "offer": a list of prices has accelerator, offer, usd_per_hour, preempted_every_h, date and source
=== exit 3
