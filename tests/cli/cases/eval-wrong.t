# Each is refused with one line.
cp "$SOURCE/data/corpus/declaration/en.txt" en.txt
cp "$SOURCE/examples/train/tiny.json" tiny.json
reckon train -q -m tiny.json -d en.txt -n 1 gbs1 seq16 --save saved >out
: >empty.txt
printf x >one.txt
cat >words.json <<'JSON'
{"name": "words", "layers": 2, "hidden": 16, "feedforward": 32, "heads": 2, "sequence": 16, "vocabulary": 100}
JSON
reckon train -q -m words.json -d empty.txt -n 1 gbs1 seq16 --save none 2>err
tr -dc 'A-Z \n' <en.txt >low.txt
reckon train -q -m words.json -d low.txt -n 1 gbs1 seq16 --save words >out
reckon tokenize --as bin -o good.bin en.txt
head -c 2000 good.bin >cut.bin
judge() { reckon eval "$@"; echo "exit $?"; }
tiny() { judge -m tiny.json -l saved "$@"; }
judge
judge -m tiny.json -l saved
tiny en.txt --shots 2
tiny nowhere.txt
tiny empty.txt
tiny cut.bin
judge -m tiny.json one.txt -l nowhere
tiny en.txt -p tp3
tiny en.txt -p dp2 --ranks 3
judge -m words.json -l words en.txt
judge -m words.json -l words one.txt
judge -m words.json -l words good.bin
judge -m gpt2-124m -l saved en.txt
judge -m gpt2-124m -l saved good.bin
ask() { printf '%s\n' "$1" >task.jsonl; shift; tiny --task task.jsonl "$@"; }
ask ''
ask '{"context": "a"'
ask '["a"]'
ask '{"context": "a"}'
ask '{"context": "a", "choices": ["b"], "answer": 0}'
ask '{"context": "a", "choices": ["b", ""], "answer": 0}'
ask '{"context": "a", "choices": ["b", "c"], "answer": 2}'
ask '{"context": "a", "choices": ["b", "c"], "answer": "d"}'
ask '{"question": "a", "choices": ["b", "c"], "answer": 0}'
ask '{"context": "a", "choices": ["b", "c"], "answer": 0}' --shots 1
ask '{"context": "a", "choices": ["b", "c"], "answer": 0}' --sequence 1
=== stdout
exit 2
exit 2
exit 2
exit 3
exit 3
exit 3
exit 3
exit 1
exit 2
exit 3
exit 3
exit 3
exit 3
exit 3
exit 3
exit 3
exit 3
exit 3
exit 3
exit 3
exit 3
exit 3
exit 3
exit 2
exit 3
=== stderr
reckon: say which model with which weights: --model FILE --load FOLDER
reckon: say what to score: a text, or questions with --task FILE
reckon: --shots, --shots-from, --template and --log are of questions: say --task FILE
reckon: nowhere.txt: cannot open: No such file or directory; check the path
reckon: empty.txt: has nothing to score: it is empty, or a single token
reckon: cut.bin: the header says 10682 tokens, the file holds 488: write it again with reckon tokenize --as bin
reckon: nowhere: cannot open: No such file or directory; check the path
reckon: the plan cannot run: bad_tensor: heads: 4, needs 3
reckon: dp: tensor 1 * context 1 * pipeline 1 * data 2 = 2 is not gpus = 3: change one of them
reckon: en.txt:1: has token 110, the model's vocabulary ends at 100: say the model's own --tokenizer
reckon: one.txt:1: has token 120, the model's vocabulary ends at 100: say the model's own --tokenizer
reckon: good.bin: token 0 is 256, the model's vocabulary ends at 100: tokenize with the model's tokenizer
reckon: the tokenizer bytes has 257 ids, the model's vocabulary 50257: say the model's own --tokenizer
reckon: saved: lacks wte.weight: it is of another model
reckon: task.jsonl: has no line with a question
reckon: task.jsonl:1:15: '}' expected near end of file
reckon: task.jsonl:1: must be an object: {"context": "...", "choices": ["...", "..."], "answer": 0}
reckon: task.jsonl:1: "answer" must be a text: there are no "choices"
reckon: task.jsonl:1: "choices" must be a list of 2 to 256 texts
reckon: task.jsonl:1: each of "choices" must be a text, not empty
reckon: task.jsonl:1: "answer" must be one of "choices", or its place counted from 0
reckon: task.jsonl:1: "answer" must be one of "choices", or its place counted from 0
reckon: task.jsonl:1: "context", which the template names, is not text or number of this line
reckon: task.jsonl: has 0 examples for 1 shots: say fewer, or another file with --shots-from
reckon: task.jsonl:1: an answer takes 2 tokens, and the model's sequence is 1
