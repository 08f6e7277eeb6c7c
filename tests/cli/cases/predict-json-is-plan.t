reckon predict --framework calculon -m gpt3-175b -s a100-80g-nvl8 --tensor 8 --pipeline 16 --recompute full -f json | sed -n '/"plan": {/,/^  }/p' | sed -e '1s/.*/{/' -e '$s/.*/}/' -e '/: null/d' >plan.json
reckon predict --framework calculon -m gpt3-175b -s a100-80g-nvl8 --plan plan.json | head -n 1
=== stdout
fits: 70.35 s per step, MFU 40.1 %, memory 26.5 of 80.0 GiB
