# A file beyond the limit of its size: every command says which, and leaves none of it (databases aside).
ulimit -f 4
try() { reckon "$@" >/dev/null; echo "exit $?"; ls; }
try search -m llama3.1-8b -s h100 -g 8 -b 32 -q --all plans.csv
try search -m llama3.1-8b -s h100 -g 8 -b 32 -q --all plans.sqlite
try search -m llama3.1-8b -s h100 -g 8 -b 32 -q -k 1000 -f csv -o best.csv
try report -m llama3.1-8b -s h100 -g 8 tp8 -o plan.html
try diff tp8 tp4 -m llama3.1-8b -s h100 -g 8 -o both.html
try timeline -m llama3.1-8b -s h100 -g 8 pp8 gbs32 --trace trace.json
try program -m llama3.1-8b -s h100 -g 8 pp8 gbs32 --rank 0 -o program.log
try program -m llama3.1-8b -s h100 -g 8 pp8 gbs32 --all programs
=== stdout
exit 4
exit 4
exit 4
exit 4
exit 4
exit 4
exit 4
exit 4
=== stderr
reckon: plans.csv: cannot write: File too large
reckon: plans.sqlite: cannot write: disk I/O error
reckon: best.csv: cannot write the report: File too large
reckon: plan.html: cannot write the page: File too large
reckon: both.html: cannot write the page: File too large
reckon: trace.json: cannot write the trace: File too large
reckon: program.log: cannot write the program: File too large
reckon: programs/rank-0.log: cannot write the program: File too large
