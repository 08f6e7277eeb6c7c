# machines side by side, each at its price: a row each, in the order asked for
reckon search -m llama3.1-8b -b 384 -s "h200 x128 price=3.2" -s "b200 x96 price=5.1" -s "a100 x64" --tokens 1T --sort cost -q
reckon search -m llama3.1-8b -b 384 -s "h200 x128 price=3.2" -s "b200 x96 price=5.1" --tokens usual --sort power -q --where "tensor <= 2" -f csv
reckon search -m llama3.1-8b -b 64 -s "h100 x32 price=reserved" -s "h100 x32 price=spot" --tokens 1T --sort price -q -f csv
reckon search -m llama3.1-8b -b 64 -s "h100 x32 price=bargain" --tokens 1T -q
reckon search -m llama3.1-8b -b 64 -s "h100 x32 price=" --tokens 1T -q
reckon search -m llama3.1-8b -b 64 -s "h100 x32 price=2" --sort measured -q
reckon search -m llama3.1-8b -b 64 -s "h100 x32 price=2" -s "h200 x32" --sort power -q
reckon predict -m llama3.1-8b -s "h100 x32 price=2" gbs64 zero1 recompute=full | head -1
reckon predict -m llama3.1-8b -s "h100 x32 price=2" gbs64 zero1 recompute=full --tokens 1T --price 3
reckon predict -m llama3.1-8b -s "h100 x32 price=spot" gbs64 zero1 recompute=full --tokens 1T --price reserved
reckon predict -m llama3.1-8b -s "h100 x32 price=2" gbs64 zero1 recompute=full --tokens 1T --price 2.0 | head -1
=== stdout
best by cost: b200-sxm-180g x96; fits: P(fits) 81 %, 1.658 s per step (50 % 1.489-1.986 s), MFU 45.2 %, memory 134.3 of 178.3 GiB, 6.3 days and 74.03k USD
  plan: dp96 mbs2 gbs384 zero1 grad-overlap weight-overlap
llama3.1-8b on 3 systems, detailed model: 3 of 3 problems have a plan
  runs of 1T tokens; failures, checkpoints and spare nodes included

Best plan of each problem
system              GPUs      plans     fits     step  tokens/s/GPU    MFU  memory  fits in   days  cost in USD  USD/GPU-h  price     USD/T tokens  power kW  50 %         90 %         measured runs  best plan
                                                    s                    %     GiB        %                   K                                  K
b200-sxm-180g x96     96  1,606,534  865,382   1.6580        19,764  45.21   134.3       81  6.300       74.033       5.10  given           74.033     136.4  5.658-7.548  5.003-11.21            117  dp96 mbs2 gbs384 zero1 grad-overlap weight-overlap
h200-sxm-141g x128   128  1,548,244  946,200   2.2474        10,935  56.89    91.0       87  8.622       84.756       3.20  given           84.756     127.6  8.087-10.35  6.846-15.34             61  dp128 gbs384 zero1 grad-overlap weight-overlap
a100-sxm4-80g x64     64  1,361,098  670,657  13.3294        3687.5  60.83    70.4       75  50.17      153.343       1.99  neocloud       153.343     36.55  46.81-60.2   39.83-89.25            781  dp32 cp2 gbs384 zero1 grad-overlap weight-overlap attention=flash
model,system,gpus,batch,predictor,plans,fits,step_s,samples_per_s,tokens_per_s,tokens_per_s_gpu,mfu,hbm_bytes,fits_share,days,cost_usd,gpus_used,step_usd,price_usd_per_hour,price_kind,cost_per_trillion_usd,power_kW,energy_kWh,p5,p25,p75,p95,measured_runs,plan,reason
llama3.1-8b,h200-sxm-141g x128,128,384,reckon,1548244,946200,2.247373197378664,170.86614739728032,1399735.4794785203,10935.43343342594,0.5688899835894666,97761541217.28,0.8659454603335365,129.32751724955128,1271341.225569989,,,3.2,given,84756.08170466594,127.55446439760725,395911.25267133187,102.68604869614371,121.30921118007909,155.19302069946153,230.0736531869517,61,dp128 gbs384 zero1 grad-overlap weight-overlap,
llama3.1-8b,b200-sxm-180g x96,96,384,reckon,1606534,865382,1.6580053863450763,231.6035901707735,1897296.6106789764,19763.50636123934,0.4521116225893838,144178337730.56,0.8089350851267286,94.50645787122517,1110488.682570044,,,5.1,given,74032.57883800293,136.40994137519712,309398.88906699256,75.03812754975279,84.8667991683602,113.21873652972775,168.12698855290955,117,dp96 mbs2 gbs384 zero1 grad-overlap weight-overlap,
model,system,gpus,batch,predictor,plans,fits,step_s,samples_per_s,tokens_per_s,tokens_per_s_gpu,mfu,hbm_bytes,fits_share,days,cost_usd,gpus_used,step_usd,price_usd_per_hour,price_kind,cost_per_trillion_usd,power_kW,energy_kWh,p5,p25,p75,p95,measured_runs,plan,reason
llama3.1-8b,h100-sxm5-80g x32,32,64,reckon,516108,283053,1.679144129762424,38.11465547573639,312235.2576572325,9757.351801788516,0.507603081321771,69827584737.28,0.7785727271916869,47.5734676303758,196383.2743781913,,,4.3,spot,196383.2743781913,31.42100810080285,35875.351483135695,37.77333329851839,44.6239126372925,57.08816115645096,84.63319891443855,610,dp32 gbs64 zero2 grad-overlap weight-overlap,
llama3.1-8b,h100-sxm5-80g x32,32,64,reckon,516108,283053,1.679144129762424,38.11465547573639,312235.2576572325,9757.351801788516,0.507603081321771,69827584737.28,0.7785727271916869,37.551460537190806,141775.08864063746,,,4.916,reserved,141775.08864063746,31.42100810080285,28317.71389766522,29.8158596665295,35.223269983884975,45.06175264462897,66.80404829566244,610,dp32 gbs64 zero2 grad-overlap weight-overlap,
fits: P(fits) 81 %, 2.258 s per step (50 % 2.118-2.710 s), MFU 37.7 %, memory 59.2 of 79.2 GiB, 76.58 USD per 1B tokens
fits: P(fits) 81 %, 2.258 s per step (50 % 2.118-2.710 s), MFU 37.7 %, memory 59.2 of 79.2 GiB, 50.51 days and 77.58k USD
=== stderr
reckon: price: no offer "bargain" of h100-sxm5-80g x32 in the list: give US dollars for an hour, 2.5
reckon: "h100 x32 price=":1:16: price: give US dollars per accelerator-hour, price=2.5, or an offer of `reckon prices`, price=reserved
reckon: --sort: column 1 of "measured": unknown name measured: give a figure or an axis, such as time, hbm, mfu or tensor (reckon-search(1) lists them)
reckon: --sort by price, power, energy or cost_per_trillion is of a run: give --tokens, 15T or usual
reckon: price: 3 is not the price=2 that h100-sxm5-80g x32 has in its line: leave one of them out
reckon: price: reserved is not the price=spot that h100-sxm5-80g x32 has in its line: leave one of them out
