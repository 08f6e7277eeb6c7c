# Shares of the activations as an axis: never slower than all or nothing, quarters of two tiers, and what is no share.
search() { reckon search -m llama3.1-8b -s "a100-pcie-40g mem2=256GiB@25GB/s $1" -g 8 -b 32 -q -k 1 --format csv $2 | cut -d, -f3,4,12 | tail -1; }
search "" ""
search "" "--activation-shares all"
search "ssd=4*samsung-980pro-1tb" "--activation-shares 0.1,1.5"
wrong() { reckon search -m llama3.1-8b -s "a100-pcie-40g mem2=256GiB@25GB/s" -g 8 -b 32 -q -k 1 "$@" >/dev/null; echo $?; }
wrong --activation-shares 0.3,1.5
wrong --activation-shares 0.3,much
wrong --activation-shares 0.12345
wrong --activation-shares 0.5 --activation-offload
wrong --activation-shares 0.5 --framework calculon
wrong offload-activations=0.25+1.5
wrong offload-activations=0.33333
=== stdout
11.325736090668583,2.8254234200605475,0.7504446754978874
11.226645516293768,2.850361664448821,0.7519016702787099
11.218074882422151,2.8525393470266014,6 sp tp-overlap zero1 grad-overlap weight-overlap recompute=selective:layernorm attention=flash offload-activations=0.1"
2
2
2
2
2
2
2
=== stderr
reckon: --activation-shares: 1.5 is of memory tier 2, and a100-pcie-40g mem2=256GiB@25GB/s has 1; a share is at most 1, above it means the next tier
reckon: --activation-shares: 'much' is not a share: give numbers from 0, as 0.25, with at most three digits after the point, or all
reckon: --activation-shares: '0.12345' is not a share: give numbers from 0, as 0.25, with at most three digits after the point, or all
reckon: --activation-shares and --activation-offload say the same: give one of them
reckon: --activation-shares: 0.5: the Calculon model offloads all or nothing: give 0 or 1, or another framework
reckon: a search offloads to one memory tier, in thousandths: give the share of activation-offload as 0.25 or 1.5; reckon offload takes shares of several tiers
reckon: a search offloads to one memory tier, in thousandths: give the share of activation-offload as 0.25 or 1.5; reckon offload takes shares of several tiers
