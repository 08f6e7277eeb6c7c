# machines side by side, each at its price: a row each, in the order asked for
reckon search -m llama3.1-8b -b 384 -s "h200 x128 price=3.2" -s "b200 x96 price=5.1" -s "a100 x64" --tokens 1T --sort cost -q
reckon search -m llama3.1-8b -b 384 -s "h200 x128 price=3.2" -s "b200 x96 price=5.1" --sort power -q --where "tensor <= 2" -f csv
reckon search -m llama3.1-8b -b 64 -s "h100 x32 price=reserved" -s "h100 x32 price=spot" --tokens 1T --sort price -q -f csv
reckon search -m llama3.1-8b -b 64 -s "h100 x32 price=bargain" --tokens 1T -q
reckon search -m llama3.1-8b -b 64 -s "h100 x32 price=" --tokens 1T -q
reckon search -m llama3.1-8b -b 64 -s "h100 x32 price=2" --sort measured -q
=== stdout
llama3.1-8b on 3 systems, by the model of today's plans: 3 of 3 problems have a plan
  runs of 1T tokens, each machine at its price; failures, checkpoints and spare nodes included

The best plan for each problem
system              GPUs    plans     fits     step  tokens/s/GPU    MFU  memory  fits in   days  cost in USD  USD/GPU-h  USD/T tokens  power kW  50 %         90 %         measured runs  best plan
                                                  s                    %     GiB        %                   K                        K
b200-sxm-180g x96     96  585,712  376,959   1.8855        17,379  39.76   134.3       85  6.963       95.449        5.1        95.449     137.2  6.782-9.072  5.821-16.81            105  dp96 mbs2 gbs384 zero1 grad-overlap weight-overlap
h200-sxm-141g x128   128  571,957  422,203   2.3995        10,242  53.28    91.0       94  8.862       98.004        3.2        98.004       128  8.649-11.35  7.408-21.39             48  dp128 gbs384 zero1 grad-overlap weight-overlap
a100-sxm4-80g x64     64  503,418  285,039  13.3230        3689.3  60.86    70.4       75   49.2      169.179       1.99       169.179     36.56  48.21-62.97  41.13-118.8            681  dp32 cp2 gbs384 zero1 grad-overlap weight-overlap attention=flash
model,system,gpus,batch,predictor,plans,fits,step_s,samples_per_s,tokens_per_s,tokens_per_s_gpu,mfu,hbm_bytes,fits_share,days,cost_usd,gpus_used,step_usd,price_usd_per_hour,cost_per_trillion_usd,power_kW,energy_kWh,p5,p25,p75,p95,measured_runs,plan,reason
llama3.1-8b,h200-sxm-141g x128,128,384,reckon,571957,422203,2.3994575348933265,160.0361725164149,1311016.3252544708,10242.315041050553,0.5328321434256991,97761541217.28,0.9386285549248738,132.92667927129224,1470062.7313970753,,,3.2,98004.18209313836,127.95257533706413,408199.46265037876,111.12670387080031,129.73643896878121,170.27907614652534,320.8850037608995,48,dp128 gbs384 zero1 grad-overlap weight-overlap,
llama3.1-8b,b200-sxm-180g x96,96,384,reckon,585712,376959,1.8855248749159987,203.65681997014622,1668356.6691954378,17378.715304119145,0.3975569431380776,144178337730.56,0.8452991515358614,104.43846133413126,1431725.9787373387,,,5.1,95448.39858248924,137.19695768706757,343887.3398534699,87.31055367533374,101.72306133944384,136.08331511837304,252.11444566059288,105,dp96 mbs2 gbs384 zero1 grad-overlap weight-overlap,
model,system,gpus,batch,predictor,plans,fits,step_s,samples_per_s,tokens_per_s,tokens_per_s_gpu,mfu,hbm_bytes,fits_share,days,cost_usd,gpus_used,step_usd,price_usd_per_hour,cost_per_trillion_usd,power_kW,energy_kWh,p5,p25,p75,p95,measured_runs,plan,reason
llama3.1-8b,h100-sxm5-80g x32,32,64,reckon,191850,121707,1.6780641297624241,38.139186020894776,312436.21188317,9763.631621349063,0.5079297740375643,69827584737.28,0.7958132279484451,38.48579305921114,254190.96599747773,,,4.3,254190.96599747773,31.43159672160329,29032.078246756893,32.17412299750052,37.562134025790066,49.300300908849465,92.9047044449357,460,dp32 gbs64 zero2 grad-overlap weight-overlap,
llama3.1-8b,h100-sxm5-80g x32,32,64,reckon,191850,121707,1.6780641297624241,38.139186020894776,312436.21188317,9763.631621349063,0.5079297740375643,69827584737.28,0.7958132279484451,37.168766588725134,175412.79028816588,,,4.916,175412.79028816588,31.43159672160329,28038.568369349057,31.073088868174214,36.27671619059573,47.61319000015689,89.72540254518248,460,dp32 gbs64 zero2 grad-overlap weight-overlap,
=== stderr
reckon: price: no offer "bargain" of h100-sxm5-80g x32 in the list: give US dollars for an hour, 2.5
reckon: h100 x32 price=:1: price: give US dollars for an accelerator and hour, price=2.5, or an offer of `reckon prices`, price=reserved
reckon: --sort: column 1 of "measured": neither a figure nor an axis: measured
=== exit 2
