# Each line is refused with one message and exit status 2.
while read -r words; do
    # shellcheck disable=SC2086
    reckon $words </dev/null
    echo "$? $words"
done <<'LIST'
predict -m gpt3-175b -s a100-80g-nvl8 --tensor 0
predict -m gpt3-175b -s a100-80g-nvl8 --tensor -8
predict -m gpt3-175b -s a100-80g-nvl8 --tensor 9007199254740993
predict -m gpt3-175b -s a100-80g-nvl8 --tensor 99999999999999999999999999
predict -m gpt3-175b -s a100-80g-nvl8 --tensor 8x
predict -m gpt3-175b -s a100-80g-nvl8 --tensor 0x8
predict -m gpt3-175b -s a100-80g-nvl8 --tensor +8
predict -m gpt3-175b -s a100-80g-nvl8 --tensor nan
predict -m gpt3-175b -s a100-80g-nvl8 --tensor 8,
predict -m gpt3-175b -s a100-80g-nvl8 --tensor 8..
predict -m gpt3-175b -s a100-80g-nvl8 --tensor 16..8
predict -m gpt3-175b -s a100-80g-nvl8 --tensor
predict -m gpt3-175b -s a100-80g-nvl8 --tensor --pipeline 8
predict -m gpt3-175b -s a100-80g-nvl8 --recompute most
predict -m gpt3-175b -s a100-80g-nvl8 --recompute ful
predict -m gpt3-175b -s a100-80g-nvl8 --sequence-parallel=rs-ag
predict -m gpt3-175b -s a100-80g-nvl8 --zero maybe
predict -m gpt3-175b -s a100-80g-nvl8 --precision fp8
predict -m gpt3-175b -s a100-80g-nvl8 --weight-offload 64
predict --layers=yes
predict --model=
predict --nodes 4
predict --tensr 8
predict -m gpt3-175b -s a100-80g-nvl8 --tensor_par 8
predict -x
predict -lx
predict -m
predict gpt3-175b
predict -- --model
predict --format yaml
predict --color=maybe
search --top 0
search --top 1000001
search --threads 0
search --threads -1
search --gpus 0
search --batch 9007199254740993
search --gpus=8=8
models one two
systems --al
models --batch x
__complete csh
__list all
__man none
LIST
=== stdout
2 predict -m gpt3-175b -s a100-80g-nvl8 --tensor 0
2 predict -m gpt3-175b -s a100-80g-nvl8 --tensor -8
2 predict -m gpt3-175b -s a100-80g-nvl8 --tensor 9007199254740993
2 predict -m gpt3-175b -s a100-80g-nvl8 --tensor 99999999999999999999999999
2 predict -m gpt3-175b -s a100-80g-nvl8 --tensor 8x
2 predict -m gpt3-175b -s a100-80g-nvl8 --tensor 0x8
2 predict -m gpt3-175b -s a100-80g-nvl8 --tensor +8
2 predict -m gpt3-175b -s a100-80g-nvl8 --tensor nan
2 predict -m gpt3-175b -s a100-80g-nvl8 --tensor 8,
2 predict -m gpt3-175b -s a100-80g-nvl8 --tensor 8..
2 predict -m gpt3-175b -s a100-80g-nvl8 --tensor 16..8
2 predict -m gpt3-175b -s a100-80g-nvl8 --tensor
2 predict -m gpt3-175b -s a100-80g-nvl8 --tensor --pipeline 8
2 predict -m gpt3-175b -s a100-80g-nvl8 --recompute most
2 predict -m gpt3-175b -s a100-80g-nvl8 --recompute ful
2 predict -m gpt3-175b -s a100-80g-nvl8 --sequence-parallel=rs-ag
2 predict -m gpt3-175b -s a100-80g-nvl8 --zero maybe
2 predict -m gpt3-175b -s a100-80g-nvl8 --precision fp8
2 predict -m gpt3-175b -s a100-80g-nvl8 --weight-offload 64
2 predict --layers=yes
2 predict --model=
2 predict --nodes 4
2 predict --tensr 8
2 predict -m gpt3-175b -s a100-80g-nvl8 --tensor_par 8
2 predict -x
2 predict -lx
2 predict -m
2 predict gpt3-175b
2 predict -- --model
2 predict --format yaml
2 predict --color=maybe
2 search --top 0
2 search --top 1000001
2 search --threads 0
2 search --threads -1
2 search --gpus 0
2 search --batch 9007199254740993
2 search --gpus=8=8
2 models one two
2 systems --al
2 models --batch x
2 __complete csh
2 __list all
2 __man none
=== stderr
reckon: "tensor=0":1:8: tp must be >= 1, got "0"
reckon: "tensor=-8":1:8: tp must be >= 1, got "-8"
reckon: mbs: 4 * gpus * microbatch is more than 2^53
reckon: "tensor=99999999999999999999999999":1:8: tp must be at most 2^53, got "99999999999999999999999999"
reckon: "tensor=8x":1:8: tp must be a number, got "8x": write out its digits
reckon: "tensor=0x8":1:8: tp must be a number, got "0x8": write out its digits
reckon: "tensor=+8":1:8: tp must be a number, got "+8": write out its digits
reckon: "tensor=nan":1:8: tp must be a number, got "nan": write out its digits
reckon: "tensor=8,":1:8: tp must be a number, got "8,": write out its digits
reckon: "tensor=8..":1:8: tp must be a number, got "8..": write out its digits
reckon: "tensor=16..8":1:8: tp must be a number, got "16..8": write out its digits
reckon: --tensor needs a value: --tensor N, Tensor-parallel degree
reckon: --tensor needs a value: --tensor N, Tensor-parallel degree
reckon: "recompute=most":1:11: recompute must be one of none, selective, full; got "most"
reckon: "recompute=ful":1:11: recompute must be one of none, selective, full; got "ful"; did you mean "full"?
reckon: "sequence-parallel=rs-ag":1:19: sp must be yes or no, got "rs-ag"
reckon: "zero=maybe":1:6: zero must be a number, got "maybe": write out its digits
reckon: "precision=fp8":1:11: precision must be one of fp32, tf32, fp16, bf16, fp8-delayed, fp8-current, fp8-row, fp8-block, mxfp8, nvfp4, int8; got "fp8"; did you mean "fp8-delayed"?
reckon: "weight-offload=64":1:16: offload-weights must be >= 0 and <= 4, got "64"
reckon: --layers takes no value: leave out "yes"
reckon: --model: the value is empty
reckon: "--nodes" is not known, did you mean --model? reckon predict --help-all lists all flags
reckon: "--tensr" is not known, did you mean --tensor? reckon predict --help-all lists all flags
reckon: "--tensor_par" is not known, did you mean --tensor? reckon predict --help-all lists all flags
reckon: "-x" is not known: reckon predict --help-all lists all flags
reckon: "-lx" is not known: reckon predict --help-all lists all flags
reckon: -m needs a value: -m, --model MODEL, Model: an id of `reckon models`, a file (also a config.json of Hugging Face), or - (standard input)
reckon: --system is missing: give an id, such as h100 or "h100 x64" (`reckon systems` lists them), or a file
reckon: unknown model "--model" ("reckon models" lists them; a file's name ends in .json)
reckon: --format: "yaml" is not known: give one of: table, json, csv
reckon: --color: "maybe" is not known: give one of: auto, always, never
reckon: --top: 0 is too small: give at least 1
reckon: --top: 1000001 is too large: give at most 1000000
reckon: --threads: 0 is too small: give at least 1
reckon: --threads: "-1" is negative or not a number: give a whole number without a sign
reckon: --gpus: 0 is too small: give at least 1
reckon: --batch: 9007199254740993 is too large: give at most 9007199254740992
reckon: --gpus: "8=8" has characters after its digits: give a whole number, such as 8192 or 8k
reckon: too many arguments: "two" is not expected: --help shows the usage
reckon: "--al" is not known, did you mean --all? reckon systems --help-all lists all flags
reckon: "--batch" is not known: reckon models --help-all lists all flags
reckon: __complete takes one of bash, zsh, fish
reckon: __list takes one of commands, models, systems, plan
reckon: unknown command "none": reckon --help lists them
