reckon timeline -m gpt3-175b -s a100-80g-nvl8 --plan missing.json --trace trace.json
echo "exit $?"
printf '{"tensor": 8, "pipeline": 8, "batch": 15' >truncated.json
reckon timeline -m gpt3-175b -s a100-80g-nvl8 --plan truncated.json --trace trace.json
echo "exit $?"
printf '{"tensor": 8, "pipelin": 8, "batch": 1536}' >wrong.json
reckon timeline -m gpt3-175b -s a100-80g-nvl8 --plan wrong.json --trace trace.json
echo "exit $?"
: >empty.json
reckon timeline -m gpt3-175b -s a100-80g-nvl8 --plan empty.json --trace trace.json
echo "exit $?"
ls
=== stdout
exit 3
exit 3
exit 3
exit 3
empty.json
truncated.json
wrong.json
=== stderr
reckon: missing.json: cannot open: No such file or directory; check the path
reckon: truncated.json:1:41: the text ends in the middle of a value: is the file complete?
reckon: wrong.json:1:15: unknown key "pipelin"; did you mean "pipeline"?
reckon: empty.json:1:1: is empty: expected a JSON object
