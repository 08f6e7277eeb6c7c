sed -n '1p; /^aa_00[0-9]/p; /^aa_02[0-9]/p; /^kort_001/p; /^dgxc_001/p' "$RECKON_SOURCE/data/measured/runs.csv" >runs.csv
reckon calibrate a100-sxm4-80g --runs runs.csv -o mine.json --format csv | cut -d, -f 1,2
grep -c '"sustained"' mine.json
=== stdout
of,network
steps,

constant,network
sustained,
memory_efficiency,
launch_us,
1
=== stderr
reckon: calibrate: 1 of 21 rows are left out; the first, dgxc_001: another accelerator
