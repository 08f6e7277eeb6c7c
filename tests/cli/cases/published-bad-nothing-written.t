reckon predict --framework calculon -m gpt3-175b -s a100-80g-nvl8 --tensor 8 --pipline 16 -o plan
code=$?
ls
exit $code
=== stdout
=== stderr
reckon: "--pipline" is not known, did you mean --pipeline? reckon predict --help-all lists all flags
=== exit 2
