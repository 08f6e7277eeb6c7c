# machines side by side, each at its price: a row each, in the order asked for
reckon search -m llama3.1-8b -b 384 -s "h200 x128 price=3.2" -s "b200 x96 price=5.1" -s "a100 x64" --tokens 1T --sort cost -q
reckon search -m llama3.1-8b -b 384 -s "h200 x128 price=3.2" -s "b200 x96 price=5.1" --sort power -q --where "tensor <= 2" -f csv
reckon search -m llama3.1-8b -b 64 -s "h100 x32 price=reserved" -s "h100 x32 price=spot" --tokens 1T --sort price -q -f csv
reckon search -m llama3.1-8b -b 64 -s "h100 x32 price=bargain" --tokens 1T -q
reckon search -m llama3.1-8b -b 64 -s "h100 x32 price=" --tokens 1T -q
reckon search -m llama3.1-8b -b 64 -s "h100 x32 price=2" --sort measured -q
=== stdout
llama3.1-8b on 3 systems, detailed model: 3 of 3 problems have a plan
  runs of 1T tokens, each machine at its price; failures, checkpoints and spare nodes included

Best plan of each problem
system              GPUs    plans     fits     step  tokens/s/GPU    MFU  memory  fits in   days  cost in USD  USD/GPU-h  USD/T tokens  power kW  50 %         90 %         measured runs  best plan
                                                  s                    %     GiB        %                   K                        K
h200-sxm-141g x128   128  571,957  419,330   2.2474        10,935  56.89    91.0       94    8.3       91.793        3.2        91.793     127.6  8.101-10.63  6.939-20.01             48  dp128 gbs384 zero1 grad-overlap weight-overlap
b200-sxm-180g x96     96  585,712  378,129   1.8866        17,369  39.73   134.3       85  6.967       95.503        5.1        95.503     137.2  6.799-9.05   5.824-16.8             105  dp96 mbs2 gbs384 zero1 grad-overlap weight-overlap
a100-sxm4-80g x64     64  503,418  284,885  13.3295        3687.5  60.83    70.4       75  49.22      169.262       1.99       169.262     36.55  48.29-62.96  41.15-118.7            681  dp32 cp2 gbs384 zero1 grad-overlap weight-overlap attention=flash
model,system,gpus,batch,predictor,plans,fits,step_s,samples_per_s,tokens_per_s,tokens_per_s_gpu,mfu,hbm_bytes,fits_share,days,cost_usd,gpus_used,step_usd,price_usd_per_hour,cost_per_trillion_usd,power_kW,energy_kWh,p5,p25,p75,p95,measured_runs,plan,reason
llama3.1-8b,h200-sxm-141g x128,128,384,reckon,571957,419330,2.247373197378664,170.86614739728032,1399735.4794785203,10935.43343342594,0.5688899835894666,97761541217.28,0.9386285549248738,124.50141411822621,1376886.0390162875,,,3.2,91792.40260108584,127.55446439760725,381137.068670281,104.08318220283711,121.51338017938878,159.48631148544777,300.1729094390434,48,dp128 gbs384 zero1 grad-overlap weight-overlap,
llama3.1-8b,b200-sxm-180g x96,96,384,reckon,585712,378129,1.886604874915999,203.54023521597102,1667401.6068892346,17368.766738429527,0.39732935891824556,144178337730.56,0.8452991515358614,104.49828209796281,1432546.0496245527,,,5.1,95503.06997497017,137.15514259618607,343979.4427728616,87.3605638338969,101.99032332761172,135.74326844525368,251.94535813818834,105,dp96 mbs2 gbs384 zero1 grad-overlap weight-overlap,
model,system,gpus,batch,predictor,plans,fits,step_s,samples_per_s,tokens_per_s,tokens_per_s_gpu,mfu,hbm_bytes,fits_share,days,cost_usd,gpus_used,step_usd,price_usd_per_hour,cost_per_trillion_usd,power_kW,energy_kWh,p5,p25,p75,p95,measured_runs,plan,reason
llama3.1-8b,h100-sxm5-80g x32,32,64,reckon,191850,121421,1.679144129762424,38.11465547573639,312235.2576572325,9757.351801788516,0.507603081321771,69827584737.28,0.7958132279484451,38.51056246805956,254354.56298903975,,,4.3,254354.56298903975,31.42100810080285,29040.976686608974,32.19483022329779,37.58630896882613,49.332030521584294,92.8489661104916,460,dp32 gbs64 zero2 grad-overlap weight-overlap,
llama3.1-8b,h100-sxm5-80g x32,32,64,reckon,191850,121421,1.679144129762424,38.11465547573639,312235.2576572325,9757.351801788516,0.507603081321771,69827584737.28,0.7958132279484451,37.19268836096485,175525.68574320312,,,4.916,175525.68574320312,31.42100810080285,28047.1622947323,31.093087469766616,36.300063840301696,47.64383379039597,89.67157163828625,460,dp32 gbs64 zero2 grad-overlap weight-overlap,
=== stderr
reckon: price: no offer "bargain" of h100-sxm5-80g x32 in the list: give US dollars for an hour, 2.5
reckon: "h100 x32 price=":1:16: price: give US dollars for an accelerator and hour, price=2.5, or an offer of `reckon prices`, price=reserved
reckon: --sort: column 1 of "measured": neither a figure nor an axis: measured
=== exit 2
