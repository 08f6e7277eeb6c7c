# Counted by hand from the table: runs on an H100 with Megatron's habits, and of any framework. The median of what was off, too.
reckon support llama3.1-8b h100-sxm5-80g -g 8 tp2 zero1 gbs32 --format csv >answer || exit
grep -E '^(in_common|GPU,|"GPU, framework",|all runs)' answer | cut -d, -f1-4 | sed 's/\(\.[0-9]\{4\}\)[0-9]*/\1/'
echo "--- by hand"
python3 - $SOURCE/data/measured/steps.csv <<'END'
import csv, statistics, sys
rows = list(csv.DictReader(open(sys.argv[1])))
gpu = [r for r in rows if r["system"].split()[0] == "h100-sxm5-80g"]
for of in ([r for r in gpu if "framework=" not in r["plan"]], gpu, rows):
    off = statistics.median(abs(float(r["predicted_s"]) / float(r["measured_s"]) - 1) for r in of)
    print(len(of), len({r["group"] for r in of}), f"{off:.6f}"[:6])
END
echo "--- of a launch script; on a device that nobody measured with this framework the exit status is 1"
reckon export megatron -m llama3.1-8b gpus8 tp2 zero1 gbs32 -o run.sh
reckon support run.sh -s h100-sxm5-80g | head -n 1
reckon support run.sh -s tpu-v4 | head -n 1
reckon support run.sh -s tpu-v4 >/dev/null; echo "exit $?"
reckon support run.sh; reckon support llama3.1-8b
=== stdout
in_common,runs,sources,median_error
"GPU, framework",307,19
GPU,460,25,0.0839
all runs,1907,62,0.0969
--- by hand
307 19 0.0729
460 25 0.0839
1907 62 0.0969
--- of a launch script; on a device that nobody measured with this framework the exit status is 1
well covered: 3 runs from 2 sources with the same model, GPU, framework, plan class, precision; blind predictions of half of them were off by at most 14.0 %, of 90 % by at most 21.0 %
extrapolated: 170 runs from 19 sources with the same framework, plan class; blind predictions of half of them were off by at most 7.3 %, of 90 % by at most 22.5 %
exit 1
=== stderr
reckon: --system is missing: reckon systems lists what there is
reckon: --system is missing: reckon systems lists what there is
=== exit 2
