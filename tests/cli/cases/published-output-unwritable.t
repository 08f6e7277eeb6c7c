reckon predict --framework calculon -m gpt3-175b -s a100-80g-nvl8 --tensor 8 --pipeline 16 --recompute full -o none/plan
code=$?
ls
exit $code
=== stdout
=== stderr
reckon: none/plan: cannot write: folder none: No such file or directory
=== exit 4
