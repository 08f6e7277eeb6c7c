# One run has one price, the same offer in every answer that has one, unless another is chosen.
one="-m llama3.1-8b -s h100-sxm5-80g"
offer() { tr '\n' ' ' | tr -s ' ' | grep -o '[0-9.]* USD per GPU-hour, [a-z-]* of [0-9-]*'; }
reckon predict $one -g 64 zero2 gbs512 --tokens 1T | offer
reckon search $one -g 64 -b 512 --tokens 1T -k 1 -q | offer
reckon budget $one -g 64 --days 3 | offer
reckon search -q -m llama3.1-8b -b 512 -s "h100-sxm5-80g x16 + h100-sxm5-80g x16 link=100Gb/s@50us" --tokens 1T | offer
reckon diff $one "gpus8 tp8 gbs64" "gpus8 tp4 gbs64" --tokens 1T | offer
reckon predict $one -g 64 zero2 gbs512 --tokens 1T --price reserved | offer
# What budget says a run costs is what predict says of the same run; no mean is above what one of ten exceeds.
reckon budget $one -g 64 --days 3 --format json >budget.json
run() { python3 -c "
import json
r = json.load(open('budget.json'))['budget'][0]
print('%s --tokens %.17g' % (r['plan'], r['tokens']))"; }
reckon predict $one -g 64 $(run) --format json >predict.json
python3 -c "
import json
b = json.load(open('budget.json'))['budget'][0]
p = json.load(open('predict.json'))['run']
print('cost', abs(b['cost_usd'] / p['cost_usd'] - 1) < 1e-3, 'days', abs(b['days'] / p['days'] - 1) < 1e-3)"
for tokens in 10G 100G 1T 15T
do reckon predict $one -g 512 tp2 zero1 gbs1024 --tokens $tokens --format json; done | python3 -c "
import json, sys
text, at, decode = sys.stdin.read(), 0, json.JSONDecoder()
while at < len(text):
    answer, at = decode.raw_decode(text, at)
    at += len(text[at:]) - len(text[at:].lstrip())
    run = answer['run']
    print(run['days_p10'] <= run['days'] <= run['days_p90'])"
# A mixture is asked for tokens by the parameters that a token passes: 12.9 billion of Mixtral's 46.7.
reckon budget -m mixtral-8x7b -s h100 -g 64 --days 1 -b 512 --format json | python3 -c "
import json, sys
r = json.load(sys.stdin)['budget'][0]
print('%.3g parameters, %.3g tokens asked for' % (r['parameters'], r['asked']))"
reckon shapes --params 1e40; echo "exit $?"
=== stdout
2.49 USD per GPU-hour, neocloud of 2026-01-15
2.49 USD per GPU-hour, neocloud of 2026-01-15
2.49 USD per GPU-hour, neocloud of 2026-01-15
2.49 USD per GPU-hour, neocloud of 2026-01-15
2.49 USD per GPU-hour, neocloud of 2026-01-15
4.916 USD per GPU-hour, reserved of 2024-12-01
cost True days True
True
True
True
True
4.67e+10 parameters, 2.58e+11 tokens asked for
exit 2
=== stderr
reckon: --params: 1e+40 is more than 1e+18, as far as the rule is continued
