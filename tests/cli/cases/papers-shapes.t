# The twelve models of Table III of [isaev2023scaling], and the nearest to a target.
reckon shapes --blocks 128..480 --format csv
reckon shapes --params 11T --top 1
=== stdout
blocks,hidden,ratio,heads,head_dim,feedforward,parameters,off_target,splits,rule
128,24576,192,128,192,98304,927712935936,,64,as published
160,32768,204.8,160,205,131072,2061584302080,,72,as published
192,40960,213.33333333333334,192,213,163840,3865470566400,,98,as published
224,50176,224,224,224,200704,6767392063488,,144,as published
256,60416,236,256,236,241664,11213085868032,,81,as published
288,70656,245.33333333333334,288,245,282624,17253286281216,,216,as published
320,81920,256,320,256,327680,25769803776000,,196,as published
352,94208,267.6363636363636,352,268,376832,37488622043136,,72,as published
384,106496,277.3333333333333,384,277,425984,52261162057728,,128,as published
416,119808,288,416,288,479232,71654952665088,,144,as published
448,134144,299.42857142857144,448,299,536576,96739038068736,,98,as published
480,148480,309.3333333333333,480,309,593920,126986747904000,,288,as published
blocks  hidden  ratio  heads  head dim  feedforward  parameters  off target  splits  rule
                                                                          %
   256  60,416    236    256       236      241,664     11.21 T         1.9      81  as published
