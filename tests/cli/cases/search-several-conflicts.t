for option in '--save-plan best.json' '--all all.csv' --why --sensitivity '--pareto time,hbm'; do
    # shellcheck disable=SC2086
    reckon search -m gpt3-13b -s a100-80g-nvl8 -g 8,16 -b 16 $option
    echo "$? $option"
done
for option in '--all all.txt' '--state .' \
    '--state /nowhere/state' '--all /nowhere/all.csv' '--all /nowhere/all.sqlite' '--all .sqlite/'; do
    # shellcheck disable=SC2086
    reckon search -m gpt3-13b -s a100-80g-nvl8 -g 8 -b 16 -q $option >/dev/null
    echo "$? $option"
done
ls
reckon search -m gpt3-13b -m - -s - -g 8 -b 16
echo $?
reckon search -m gpt3-13b, -s a100-80g-nvl8 -g 8 -b 16
echo $?
=== stdout
2 --save-plan best.json
2 --all all.csv
2 --why
2 --sensitivity
2 --pareto time,hbm
2 --all all.txt
4 --state .
4 --state /nowhere/state
4 --all /nowhere/all.csv
4 --all /nowhere/all.sqlite
4 --all .sqlite/
2
2
=== stderr
reckon: --save-plan and --save-script take the best plan of one problem: give one model, system, size and batch
reckon: --all, --pareto, --why and --sensitivity are about one problem: give one model, system, size and batch
reckon: --all, --pareto, --why and --sensitivity are about one problem: give one model, system, size and batch
reckon: --all, --pareto, --why and --sensitivity are about one problem: give one model, system, size and batch
reckon: --all, --pareto, --why and --sensitivity are about one problem: give one model, system, size and batch
reckon: --all: all.txt: give a name that ends in .csv, .csv.gz or .sqlite
reckon: .: cannot write: Is a directory
reckon: /nowhere/state: cannot write: folder /nowhere: No such file or directory
reckon: /nowhere/all.csv: cannot write: folder /nowhere: No such file or directory
reckon: /nowhere/all.sqlite: cannot write: folder /nowhere: No such file or directory
reckon: .sqlite/: cannot write: folder .sqlite: No such file or directory
reckon: standard input (-) can be read once: give files for the others
reckon: --model: a name is empty
