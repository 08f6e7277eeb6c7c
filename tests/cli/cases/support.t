# Counted by hand from the table: runs on an H100 with Megatron's habits, and of any framework. The median of what was off, too.
reckon support llama3.1-8b h100-sxm5-80g -g 8 tp2 zero1 gbs32 --format csv >answer || exit
grep -E '^(in_common|GPU,|"GPU, framework",|all runs)' answer | sed 's/"GPU, framework"/both/' | cut -d, -f2-4 | sed 's/\(\.[0-9]\{4\}\)[0-9]*/\1/' | tail -n 3 >counted
python3 - $SOURCE/data/measured/steps.csv >by-hand <<'END'
import csv, statistics, sys
rows = list(csv.DictReader(open(sys.argv[1])))
gpu = [r for r in rows if r["system"].split()[0] == "h100-sxm5-80g"]
for of in ([r for r in gpu if "framework=" not in r["plan"]], gpu, rows):
    off = statistics.median(abs(float(r["predicted_s"]) / float(r["measured_s"]) - 1) for r in of)
    print(len(of), len({r["group"] for r in of}), f"{off:.6f}"[:6], sep=",")
END
diff counted by-hand && wc -l <counted
echo "--- of a launch script; on a device that nobody measured with this framework the exit status is 1"
reckon export megatron -m llama3.1-8b gpus8 tp2 zero1 gbs32 -o run.sh
reckon support run.sh -s h100-sxm5-80g | sed 's/;.*//;q'
reckon support run.sh -s tpu-v4 | sed 's/;.*//;q'
reckon support run.sh -s tpu-v4 >/dev/null; echo "exit $?"
reckon support run.sh; reckon support llama3.1-8b
=== stdout
1c1
< 332,22,0.0579
---
> 296,21,0.0557
--- of a launch script; on a device that nobody measured with this framework the exit status is 1
well covered: 6 runs from 3 sources with the same model, GPU, framework, plan class, precision
extrapolated: 189 runs from 27 sources with the same framework, plan class
exit 1
=== stderr
reckon: --system is missing: give an id, such as h100 or "h100 x64" (`reckon systems` lists them), or a file
reckon: --system is missing: give an id, such as h100 or "h100 x64" (`reckon systems` lists them), or a file
=== exit 2
