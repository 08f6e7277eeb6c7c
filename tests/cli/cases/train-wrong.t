# Each is refused with one line before the first step.
cp "$SOURCE/data/corpus/declaration/en.txt" en.txt
data=en.txt
cp "$SOURCE/examples/train/tiny.json" tiny.json
tiny=tiny.json
printf 'short' >short.txt
: >empty.txt
cat >words.json <<'JSON'
{"name": "words", "layers": 2, "hidden": 16, "feedforward": 32, "heads": 2, "sequence": 16, "vocabulary": 100}
JSON
reckon tokenize --as bin -o good.bin "$data"
head -c 2000 good.bin >cut.bin
mkdir locked none
train() { reckon train -q "$@"; echo "exit $?"; }
train
train -m "$tiny"
train -m "$tiny" -d nowhere.bin
train -m "$tiny" -d empty.txt
train -m "$tiny" -d short.txt
train -m "$tiny" -d cut.bin
train -m "$tiny" -d "$data" -n 100000
train -m words.json -d "$data" -n 1 seq16
train -m "$tiny" -d "$data" -n 1 gbs4 precision=fp16 --loss-scale 0.5
train -m "$tiny" -d "$data" -n 1 gbs4 --loss-scale 8
train -m "$tiny" -d "$data" -n 1 gbs4 --momentum 0.9
train -m "$tiny" -d "$data" -n 1 gbs4 precision=fp16 framework=deepspeed
train -m "$tiny" -d "$data" precision=fp8-delayed
train -m "$tiny" -d "$data" precision=bf16 framework=fsdp
train -m "$tiny" -d "$data" moment1-bytes=2
train -m "$tiny" -d "$data" weights-fp8
train -m "$tiny" -d "$data" -n 1 gbs1 -o nowhere/table.txt
train -m "$tiny" -d "$data" frozen
train -m "$tiny" -d "$data" tp3
train -m "$tiny" -d "$data" dp2 gbs3
train -m "$tiny" -d "$data" --ranks 3 tp2
train -m "$tiny" -d "$data" pp8 dp1
train -m "$tiny" -d "$data" seq64 --blocks 16 --blocks-local 4 --blocks-global 3
train -m palm-62b -d "$data"
train -m gpt2-124m -d "$data" -n 1 gbs1 seq2048
train -m "$tiny" -d "$data" -n 1 gbs1 --load none
train -m "$tiny" -d "$data" -n 1 gbs1 --save "$data/x"
reckon train -q -m "$tiny" -d "$data" -n 1 gbs1 seq16 --save saved >out
echo "exit $?"
train -m words.json -d good.bin -n 2 seq16 gbs1 --load saved
train -m "$tiny" -d "$data" -n 1 gbs1 seq16 --load saved
train -m "$tiny" -d "$data" -n 2 gbs1 seq16 --seed 2 --load saved
train -m "$tiny" -d "$data" -n 2 gbs2 --load saved
train -m "$tiny" -d "$data" -n 2 seq32 --load saved
# a model of fewer layers would read a part of it
sed 's/"layers": 4/"layers": 2/' "$tiny" >two.json
train -m two.json -d "$data" -n 2 --load saved
reckon generate -m two.json -l saved "Once"
mkdir lost weights && cp saved/*/m*.safetensors lost
train -m "$tiny" -d "$data" -n 1 gbs1 seq16 --load lost
cp saved/*/model.safetensors weights/model-00001-of-00002.safetensors
train -m "$tiny" -d "$data" -n 1 gbs1 seq16 --load weights
# the one before a damaged one; a name that JSON would break at
cp "$tiny" 'ti"ny.json'
reckon train -q -m 'ti"ny.json' -d "$data" -n 2 gbs1 seq16 --save-every 1 --save two >out; sed 's/.*"model":/"model":/' two/*2/train.json
printf x | dd of=two/step-00000002/model.safetensors bs=1 seek=100000 conv=notrunc 2>dd
reckon train -q -m "$tiny" -d "$data" -n 3 --load two >out 2>said; echo "exit $?"
sed 's/ of sum.*written/ .../' said
# bytes that are no text, or are few of the model's tokens
{ printf '\000'; cat "$data"; } >zero.bin
reckon train -q -m "$tiny" -d zero.bin -n 1 gbs1 seq16 >out; echo "exit $?"
sed 's/257/600/' "$tiny" >words600.json
reckon train -q -m words600.json -d "$data" -n 1 gbs1 seq16 >out; echo "exit $?"
{ head -c 4 good.bin; printf '\002'; tail -c +6 good.bin; } >version.bin
train -m "$tiny" -d version.bin -n 1 gbs1
train -m "$tiny" -d "$data" -n 1 gbs1 --drives .
train -m "$tiny" -d "$data" -n 1 gbs1 --adaptive
train -m "$tiny" -d "$data" -n 1 gbs1 --device cuda
# a log stays until there is a step to show
echo kept >log; train -m "$tiny" -d empty.txt --log log; cat log
# a scale that no run has
reckon train -q -m "$tiny" -d "$data" -n 1 gbs1 seq16 precision=fp16 --save scaled >out
sed 's/"loss_scale": 65536/"loss_scale": inf/' scaled/step-00000001/train.json >about
mv about scaled/step-00000001/train.json
train -m "$tiny" -d "$data" -n 2 gbs1 seq16 precision=fp16 --load scaled 2>said
sed 's/json:1:[0-9]*:/json:1:.../' said >&2 # sums of weights stand before it
printf x | dd of=saved/step-00000001/model.safetensors bs=1 seek=100000 conv=notrunc 2>dd
reckon train -q -m "$tiny" -d "$data" -n 2 gbs1 seq16 --load saved/step-00000001 2>said; echo "exit $?"
sed 's/ of sum.*written/ .../' said >&2 # sums of weights are of this machine's arithmetic
reckon generate -m "$tiny" -l saved
reckon generate -m "$tiny" "Once"
# what would be lost behind the last step, or was said for nothing
train -m "$tiny" -d "$data" -n 1 gbs1 seq16 --save "$data"
train -m "$tiny" -d "$data" -n 2 gbs1 seq16 --save-every 1
train -m "$tiny" -d "$data" -n 1 gbs1 seq16 --save saved
train -m "$tiny" -d "$data" -n 2 gbs1 seq16 --rate 1e-3 --least-rate 1
train -m "$tiny" -d "$data" -n 2 gbs1 seq16 --rate 1e30
train -m "$tiny" -d "$data" -n 2 gbs1 seq16 --rate 0.5 --decay 3
train -m "$tiny" -d "$data" -n 2 gbs1 seq16 --norm-eps 2
train -m "$tiny" -d "$data" -n 2 gbs1 seq16 --rotary-base 0.5
reckon generate -m "$tiny" -l none "Once"
reckon generate -m words.json -l saved "Once"
# the weights of a run, cut for two ranks and put together, are weights alone
reckon train -q -m "$tiny" -d "$data" -n 1 gbs1 seq16 --save fresh >out
reckon shard fresh/step-00000001 -m "$tiny" tp2 -o shards >out && reckon merge shards -o merged >out && ls merged
cmp merged/model.safetensors fresh/step-00000001/model.safetensors && echo same
reckon generate -m "$tiny" -l fresh -n 4 --greedy "Once" >a && reckon generate -m "$tiny" -l merged -n 4 --greedy "Once" | cmp - a && echo same
reckon train -m "$tiny" -d "$data" -n 1 gbs1 seq16 >/dev/full
echo "exit $?"
# 2.8 TB of state: no machine that runs this has as much
reckon train -m gpt3-175b -d "$data" -n 1 gbs1 seq16 -q 2>&1 | sed 's/this machine has.*of memory/this machine has less/'
train -m "$tiny" -d "$data" -n 1 gbs1 seq16 --blocks-local 2
# JSON stands alone on standard output
reckon train -m "$tiny" -d "$data" -n 1 gbs1 seq16 -f json 2>steps | head -n 2; grep -v warning: steps | cut -c 1-14
# asked to stop, it says where it goes on
reckon train -q -m "$tiny" -d "$data" -n 1000000 --repeat gbs1 seq16 --log lines --save stopped >out 2>said &
run=$!
while [ ! -s lines ] && kill -0 $run; do sleep 0.1; done
kill -USR1 $run
wait $run
echo "exit $?"
sed 's/step [0-9]*/step N/' said
=== stdout
exit 2
exit 2
exit 3
exit 3
exit 3
exit 3
exit 3
exit 3
exit 2
exit 2
exit 2
exit 1
exit 1
exit 1
exit 1
exit 1
exit 4
exit 1
exit 1
exit 2
exit 2
exit 1
exit 2
exit 1
exit 1
exit 3
exit 4
exit 0
exit 3
exit 3
exit 3
exit 3
exit 3
exit 3
exit 3
exit 3
"model": "ti\"ny"}
exit 0
reckon: warning: two/step-00000002/model.safetensors: damaged: 3548096 bytes ...: the checkpoint before it is taken
exit 0
exit 0
exit 3
exit 2
exit 2
exit 2
exit 3
kept
exit 3
exit 3
exit 4
exit 2
exit 3
exit 2
exit 2
exit 2
exit 2
exit 2
config.json
model.safetensors
same
same
exit 4
reckon: weights, gradients and moments take 2.79e+03 GB at least, and this machine has less: take a smaller model
exit 2
{
  "parts": [
kernels: OpenB
step      1  l
exit 0
reckon: stopped after step N of 1000000: --load stopped goes on from there
=== stderr
reckon: say what to train: --model gpt2-124m
reckon: say what to train on: --data tokens.bin
reckon: nowhere.bin: cannot open: No such file or directory; check the path
reckon: empty.txt: the file is empty
reckon: short.txt: 5 tokens are fewer than the 129 of one sample: give more data, or seqN
reckon: cut.bin: the header says 10682 tokens, the file holds 488: write it again with reckon tokenize --as bin
reckon: en.txt: 83 samples of 128 tokens, and 100000 steps take 400000: give more data, fewer steps, or --repeat
reckon: en.txt: token 1 is 110, the model's vocabulary ends at 100: tokenize with the model's tokenizer
reckon: a loss scale of 0.5 that grows by 2 and falls by 0.5: the first must be at least 1, the second more than 1, the third between 0 and 1
reckon: --loss-scale and --scale-interval are of fp16: say precision=fp16, too, and leave --double out
reckon: --momentum 0.9 is of Muon: say optimizer=muon, too
reckon: the executor has no state of 16 bits but Megatron's: 2, 4 (fp16: 2) and 12 bytes of a weight, its gradient and moments: say framework=megatron
reckon: the executor has no arithmetic of 8 and 4 bits: say precision=bf16
reckon: the executor has no state of 16 bits but Megatron's: 2, 4 (fp16: 2) and 12 bytes of a weight, its gradient and moments: say framework=megatron
reckon: the executor has no elements of other widths than the precision's: leave weight-bytes and the like out
reckon: the executor has no weights-fp8: leave the word out
reckon: nowhere/table.txt: cannot write: folder nowhere: No such file or directory
reckon: the executor has no frozen weights: leave the word out
reckon: the plan cannot run: tensor 3: heads: 4 over 3 ranks is not whole: use 2 or 4
reckon: "dp2 gbs3":1:5: gbs 3: no multiple of 2 copies * microbatch 1: use 2 or 4
reckon: gpus: 3 GPUs are not a multiple of tensor 2 * pipeline 1 = 2: use 2 or 4
reckon: the plan cannot run: pipeline 8: 4 layers for 8 stages: one has none: use 4
reckon: blocks of 16 tokens, 4 of a window, 3 of them global, 1 patterns: the second must be a multiple of the third, no more patterns than their quotient, and a sequence of 512 blocks at most
reckon: palm-62b: the executor does not know what its parallel blocks turn, and how its logits are scaled: take another model
reckon: samples of 2048 tokens, and 1024 learned positions: say seq1024, or more position_rows in the model's file
reckon: none: holds no checkpoint and no *.safetensors
reckon: en.txt/x: Not a directory
reckon: good.bin: token 0 is 256, the model's vocabulary ends at 100: tokenize with the model's tokenizer
reckon: saved: 1 steps are done, and --steps 1 asks for no more
reckon: saved: the run began with seed 1, and goes on only with it: say --seed 1
reckon: saved: the run has steps of 1 samples of 16 tokens, and goes on only with them: say gbs1 seq16, or load its model.safetensors from a folder of its own
reckon: saved: the run has steps of 1 samples of 16 tokens, and goes on only with them: say gbs1 seq16, or load its model.safetensors from a folder of its own
reckon: saved/step-00000001/model.safetensors: has model.layers.2.input_layernorm.weight, and the model does not: it is of another model
reckon: saved/step-00000001/model.safetensors: has model.layers.2.input_layernorm.weight, and the model does not: it is of another model
reckon: lost: has moments.safetensors, and no train.json that says what they are of: load model.safetensors from a folder of its own to begin a run with the weights alone
reckon: weights: holds 1 of the 2 files model-...-of-00002.safetensors: bring the others, too
reckon: warning: zero.bin: neither text nor what reckon tokenize --as bin writes: each of its bytes is taken as a token
reckon: warning: en.txt: each byte of this text is taken as a token, 256 of the model's 600: reckon tokenize --as bin -t TOKENIZER makes tokens of it
reckon: version.bin: tokens in a form of version 2, and 1 is known: write it again with reckon tokenize --as bin
reckon: --drives is of plans that offload: say offload-activations=1 or the like, too
reckon: --adaptive is of plans that offload: say offload-activations=1 or the like, too
reckon: device "cuda" is not built in: give one of: cpu
reckon: empty.txt: the file is empty
reckon: scaled/step-00000001/train.json:1:... invalid token near 'inf'
reckon: saved/step-00000001/model.safetensors: damaged: 3548096 bytes ...
reckon: say what to continue: a text, in quotes
reckon: say which model with which weights: --model FILE --load FOLDER
reckon: en.txt: is not a folder: --save takes one
reckon: --save-every 1: say where to, --save FOLDER
reckon: saved: has step 1, and this run begins after step 0: go on from there with --load, or save to another folder
reckon: --least-rate 1 is above --rate 0.001
reckon: learning rate 1e+30: each weight moves by about that in a step; give one from 0 to 1
reckon: rate times decay 1.5: that part of each weight goes in a step; give one from 0 to 1
reckon: eps of norms 2: it is added to variances of about 1; give one from 0 to 1
reckon: base of RoPE 0.5: the slowest angle turns once in 6.3 times this number of tokens; give one from 1 to 1e+12
reckon: none: holds no checkpoint and no *.safetensors
reckon: token 110 of the prompt is beyond the vocabulary, which ends at 100
reckon: cannot write the report: an earlier part could not be written
reckon: --blocks-local, --blocks-global and --blocks-patterns are of sparse attention: say --blocks TOKENS, too
