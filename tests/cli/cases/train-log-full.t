# a log that cannot be written any more does not end the run; its exit status tells
[ -c /dev/full ] || { echo 'no /dev/full'; exit 4; }
cp "$SOURCE/data/corpus/declaration/en.txt" "$SOURCE/examples/train/tiny.json" .
reckon train -q -m tiny.json -d en.txt -n 2 gbs1 seq16 --log /dev/full >out; echo "exit $?"
grep -c . out >count; test "$(cat count)" -gt 0 && echo answered
=== stdout
exit 4
answered
=== stderr
reckon: warning: /dev/full cannot be written any more: No space left on device
