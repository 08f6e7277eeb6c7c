# Files of arguments, as Megatron-LM's functional tests have them.
cat >model_config.yaml <<E
ENV_VARS:
  CUDA_DEVICE_MAX_CONNECTIONS: 1
MODEL_ARGS:
  --num-layers: 12
  --hidden-size: 512
  --num-attention-heads: 8
  --micro-batch-size: 4
  --global-batch-size: 32
  --seq-length: 1024
  --max-position-embeddings: 1024
  --vocab-file: /data/bpe/vocab.json
  --vocab-size: 50257
  --disable-bias-linear: true
  --no-gradient-accumulation-fusion: true
  --pipeline-model-parallel-size: 4
  --num-layers-per-virtual-pipeline-stage: 1
  --use-distributed-optimizer: true
  --overlap-grad-reduce: true
  --bf16: true
TEST_TYPE: regular
E
reckon import model_config.yaml --gpus 8 | sed -n "1,2p;/^biases/p;/the program/p"
sed '/vocab-size/d; s/vocab.json/vocab.txt/' model_config.yaml >bert.yaml; reckon import bert.yaml --gpus 8; echo "exit $?"
sed 's/--bf16: true/--img-h: 336/' model_config.yaml >images.yaml; reckon import images.yaml --gpus 8; echo "exit $?"
sed 's/--bf16: true/--mystery-size: 3/' model_config.yaml >mystery.yaml; reckon import mystery.yaml --gpus 8; echo "exit $?"
=== stdout
model_config: 64,030,208 parameters, 8 GPUs with Megatron-LM
  plan: dp2 pp4 vpp3 mbs4 gbs32 zero1 grad-overlap no-gradient-fusion vocab-multiple=128
biases           no                linear layers have biases
the program                            pretrain_gpt.py   the file does not say for which program its arguments are
exit 3
exit 3
exit 3
=== stderr
reckon: note: model_config.yaml is read as a file of arguments of Megatron-LM: reckon import megatron-yaml
reckon: note: bert.yaml is read as a file of arguments of Megatron-LM: reckon import megatron-yaml
reckon: bert.yaml:11:17: the vocabulary is that of BERT or T5: encoders are not covered, decoders are
reckon: note: images.yaml is read as a file of arguments of Megatron-LM: reckon import megatron-yaml
reckon: images.yaml:19:12: the model takes images, which models here do not describe
reckon: note: mystery.yaml is read as a file of arguments of Megatron-LM: reckon import megatron-yaml
reckon: mystery.yaml:19:19: --mystery-size: is not known to Megatron-LM or its relatives: correct it, or if nothing of shape, time and memory depends on it, give --ignore mystery-size
reckon: warning: mystery.yaml:19:19: --mystery-size: is not known
