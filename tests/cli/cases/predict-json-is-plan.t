reckon predict --framework calculon -m gpt3-175b -s a100-80g-nvl8 --tensor 8 --pipeline 16 --recompute full -f json | sed -n '/"plan": {/,/^  }/p' | sed -e '1s/.*/{/' -e '$s/.*/}/' -e '/: null/d' >plan.json
reckon predict --framework calculon -m gpt3-175b -s a100-80g-nvl8 --plan plan.json | head -n 1
=== stdout
gpt3-175b on a100-80g-nvl8, 128 GPUs, Calculon model: 70.35 s per step, 125.1 TFLOP/s per GPU, MFU 40.1 %
