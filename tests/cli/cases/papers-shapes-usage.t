reckon shapes; echo $?
reckon shapes --params 11T --grid; echo $?
reckon shapes --grid -o grid.json; echo $?
reckon shapes --params -3; echo $?
reckon shapes --blocks 1..5; echo $?
reckon shapes --params 11T -o /nowhere/model.json; echo $?
=== stdout
2
2
2
2
2
4
=== stderr
reckon: say what to propose: one of --params COUNT, --blocks N, --grid
reckon: say what to propose: one of --params COUNT, --blocks N, --grid
reckon: --output: a grid is not a model; use --params or --blocks
reckon: --params: "-3" is too small: give more than 0
reckon: --blocks: no multiple of 32 in the range; try --step 1
reckon: /nowhere/model.json: cannot write: folder /nowhere: No such file or directory
