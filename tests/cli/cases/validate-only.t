reckon validate "$SOURCE/tests/data/cases/validate-own-table/runs.csv" --only gpu; reckon validate "$SOURCE/tests/data/cases/validate-own-table/runs.csv" --only speed=fast; reckon validate "$SOURCE/tests/data/cases/validate-own-table/runs.csv" --only gpu=Quantum-1 --brief --unmodelled
=== stdout
1 rows read

Rows that are not modeled
id     source    reason
own_5  somebody  no system of the catalog is known as "Quantum-1"
=== stderr
reckon: --only: "gpu" is not a CLASS=NAME with a class of --by
reckon: --only: "speed=fast" is not a CLASS=NAME with a class of --by
