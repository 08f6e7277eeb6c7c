reckon search --framework calculon -m gpt3-175b -s a100-80g-nvl8 -g 1,64..1024 -b 96 -q
reckon search --framework calculon -m gpt3-175b -s a100-80g-nvl8 -g 2^4..2^6x4 -b 64..256+64 -q --format csv | cut -d, -f1-13
=== stdout
most tokens per second: 1024 GPUs; fits: 1.351 s per step, MFU 48.9 %, memory 65.3 of 80.0 GiB
  plan: framework=calculon dp16 tp8 pp8 vpp12 gbs96 sp tp-overlap grad-overlap tp-net=0 pp-net=1
  dp-net=1
gpt3-175b on a100-80g-nvl8, Calculon model: 5 of 6 problems have a plan

Best plan of each problem
GPUs      plans       fits     step  tokens/s/GPU    MFU  memory  best plan
                                  s                    %     GiB
   1        912          0        -             -      -       -  none: memory tier 0 (HBM2e) is too small
  64  5,132,128  1,093,606  13.4778        227.93  78.40    12.7  framework=calculon dp16 tp4 mbs6 gbs96 sp tp-overlap zero1 grad-overlap recompute=selective offload-activations=1 offload-optimizer=1 offload-weights=1 tp-net=0 pp-net=0 dp-net=1
 128  5,949,888  1,629,462   6.9896        219.76  75.59     6.4  framework=calculon dp16 tp8 mbs6 gbs96 sp tp-overlap zero1 grad-overlap recompute=selective offload-activations=1 offload-optimizer=1 offload-weights=1 tp-net=0 pp-net=0 dp-net=1
 256  5,709,120  1,679,494   3.7544        204.56  70.36    23.6  framework=calculon dp16 tp8 pp2 vpp24 mbs3 gbs96 sp tp-overlap zero1 grad-overlap recompute=selective offload-activations=1 offload-optimizer=1 tp-net=0 pp-net=1 dp-net=1
 512  4,772,800  1,406,546   2.4985        153.69  52.86    58.1  framework=calculon dp16 tp8 pp4 vpp24 mbs2 gbs96 sp tp-overlap zero1 grad-overlap offload-optimizer=1 tp-net=0 pp-net=1 dp-net=1
1024  3,515,456  1,013,196   1.3513        142.09  48.91    65.3  framework=calculon dp16 tp8 pp8 vpp12 gbs96 sp tp-overlap grad-overlap tp-net=0 pp-net=1 dp-net=1
model,system,gpus,batch,predictor,plans,fits,step_s,samples_per_s,tokens_per_s,tokens_per_s_gpu,mfu,hbm_bytes
gpt3-175b,a100-80g-nvl8,16,64,calculon,1511032,163251,35.33085203045019,1.8114479646525667,3709.8454316084567,231.86533947552854,0.7975217786660771,31332163584
gpt3-175b,a100-80g-nvl8,16,128,calculon,1779008,159379,70.3418884956737,1.8196838716929316,3726.712569227124,232.91953557669524,0.8011477813776814,31332163584
gpt3-175b,a100-80g-nvl8,16,192,calculon,3022064,224726,105.35292496089721,1.822445841643815,3732.369083686533,233.27306773040831,0.8023637871536315,31332163584
gpt3-175b,a100-80g-nvl8,16,256,calculon,2046984,159379,140.36396142612074,1.8238299731569148,3735.2037850253614,233.4502365640851,0.8029731753600694,31332163584
gpt3-175b,a100-80g-nvl8,64,64,calculon,3232128,783067,9.215829965530471,6.944572571257949,14222.48462593628,222.22632228025438,0.7643779072246234,52966551552
gpt3-175b,a100-80g-nvl8,64,128,calculon,3898496,718569,17.870848031763348,7.162502852270633,14668.805841450256,229.20009127266025,0.7883490541357469,16742037504
gpt3-175b,a100-80g-nvl8,64,192,calculon,6464256,1064859,26.5503073087043,7.231554714888531,14810.22405609171,231.40975087643298,0.7959475214692635,22932830208
gpt3-175b,a100-80g-nvl8,64,256,calculon,4564864,703729,35.20577523452649,7.271534238193381,14892.102119820045,232.6890956221882,0.8003469958515406,32747461632
