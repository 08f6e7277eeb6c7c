[ -c /dev/full ] || { echo 'reckon: cannot write'; exit 4; }
reckon predict --framework calculon -m gpt3-175b -s a100-80g-nvl8 --tensor 8 --pipeline 16 --recompute full >/dev/full 2>text
code=$?
cut -d: -f1-2 text >&2
exit $code
=== stdout
=== stderr
reckon: cannot write
=== exit 4
