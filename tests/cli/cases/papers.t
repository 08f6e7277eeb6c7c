# the list of papers; of each the statements that hold, and that every published value has ours or a reason; the page
reckon papers | cut -c1-60
for paper in holmes mt-nlg memo mgpt galvatron ssdtrain bugs bigmac; do
    reckon papers $paper -f json >$paper.json || echo "exit $?"
    python3 - $paper <<'END'
import json, sys
d = json.load(open(sys.argv[1] + ".json"))
score = d["score"][0]
print(sys.argv[1], *(c["check"] + {"holds": " +", "ok": " +", "does not hold here": " -", "cannot be known here": " ?", "FAILED": " FAILED"}[c["verdict"]] for c in d["checks"]))
print("  ", score["published"], "published,", score["given"], "given,", score["judged"], "judged,", score["within_10_percent"], "within 10 %;",
      sum(v["here"] is None and v["given_by"] is None for v in d["values"]), "without ours or a reason;", len(d["commands"]), "commands")
END
done
reckon papers holmes -o page.html && grep -c table1-tflops page.html
=== stdout
paper           about                                       
holmes          training over clusters with different networ
mt-nlg          Megatron-Turing NLG 530B on 2,240 to 3,360 A
memo            a million tokens on eight GPUs: two buffers,
mgpt            multilingual GPT: text, tokenizers, sparse a
galvatron       a strategy for each layer                   
ssdtrain        activations on drives                       
redco           two rules that split any model              
bugs            bugs of DeepSpeed, Megatron-LM and Colossal-
bigmac          experts that narrow the token before they co
calculon        the space of plans of GPT-3 to Megatron-1T  
multi-trillion  memory and networks for 1T to 128T          


`reckon papers all` runs each and prints its score. Keys: do
holmes fitted + holmes-1 + holmes-7 - holmes-2 + holmes-5 - holmes-6 + holmes-4 + holmes-8 + holmes-3 + experiment-1 + holmes-9 ? every-value +
   44 published, 41 given, 16 judged, 14 within 10 %; 0 without ours or a reason; 32 commands
mt-nlg mtnlg-1 + mtnlg-2 + mtnlg-3 + mtnlg-4 + mtnlg-5 - mtnlg-10 - mtnlg-6 + mtnlg-8 + mtnlg-7 ? mtnlg-9 ? every-value +
   51 published, 25 given, 24 judged, 23 within 10 %; 0 without ours or a reason; 10 commands
memo memo-1 + memo-3 + memo-6 + memo-7 - memo-11 + memo-4 + memo-5 + memo-8 + memo-9 + memo-10 - experiment-addresses + memo-2 - memo-12 ? every-value +
   28 published, 27 given, 35 judged, 31 within 10 %; 0 without ours or a reason; 50 commands
mgpt mgpt-1a + mgpt-1b ? mgpt-7 + mgpt-2 + mgpt-3 - mgpt-4 ? mgpt-5 ? mgpt-6 ? every-value +
   19 published, 13 given, 6 judged, 4 within 10 %; 0 without ours or a reason; 28 commands
galvatron galv-2 + galv-6 + galv-1 + galv-7 + experiment-layers + galv-3 ? galv-4 ? galv-5 ? every-value +
   18 published, 14 given, 8 judged, 8 within 10 %; 0 without ours or a reason; 76 commands
ssdtrain ssd-4 + ssd-8 + ssd-5 + ssd-6 + ssd-1 + ssd-2 + ssd-9 + slow-drives - experiment-drive + ssd-3 + ssd-3b - ssd-7 ? every-value +
   65 published, 64 given, 52 judged, 52 within 10 %; 0 without ours or a reason; 8 commands
bugs bugs-1 ? bugs-2 ? bugs-3 + bugs-4 ? bugs-5 + bugs-6 + bugs-7 ? every-value +
   9 published, 4 given, 0 judged, 0 within 10 %; 0 without ours or a reason; 1 commands
bigmac bigmac-2 + bigmac-1 + exchange-rate - bigmac-5 + bigmac-6 + bigmac-7 - bigmac-8 + bigmac-9 + experiment-bytes + bigmac-4 ? bigmac-3 - every-value +
   58 published, 37 given, 32 judged, 31 within 10 %; 0 without ours or a reason; 237 commands
2
