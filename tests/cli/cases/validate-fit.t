reckon validate "$SOURCE/tests/data/cases/validate-own-table/runs.csv" --fit sustaned; reckon validate "$SOURCE/tests/data/cases/validate-own-table/runs.csv" --fit sustained,kernel_us
=== stdout
=== stderr
reckon: "sustaned" is not a constant of kernels that can be fitted; did you mean sustained
reckon: 2 runs with a time are too few to fit 2 constants to
=== exit 2
