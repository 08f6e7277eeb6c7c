printf 'm,n,k\n1,2,3\n' >products.csv
reckon validate products.csv
printf 'id,model,gpu,gpus,global_batch,metric_name,metric_value\na1,llama3.1-8b,h100-sxm5-80g,8,64,tokens_per_year,9000\n' >runs.csv
reckon validate runs.csv --unmodelled >answer || exit
grep -o 'metric_name.*lists them' answer
: >empty.csv
reckon calibrate h100-sxm5-80g --gemm empty.csv
=== stdout
metric_name: "tokens_per_year" is not known: reckon-validate(1) lists them
=== stderr
reckon: products.csv:1: no column "gpu": the first line must name the columns of measured runs, reckon validate --help lists them
reckon: empty.csv:1:1: is empty: expected text
=== exit 3
