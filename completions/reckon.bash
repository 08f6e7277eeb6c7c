# bash completion of reckon; made by reckon __complete bash: do not edit.
_reckon_words() { mapfile -t COMPREPLY < <(compgen -W "$1" -- "$cur"); }
_reckon_files() { compopt -o filenames; mapfile -t COMPREPLY < <(compgen -f -- "$cur"); }
_reckon() {
    local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD - 1]}
    local path=${COMP_WORDS[1]} flags='' operand=''
    if [ "$cur" = '=' ]; then
        cur=''
    elif [ "$prev" = '=' ]; then
        prev=${COMP_WORDS[COMP_CWORD - 2]}
    fi
    if [ "$COMP_CWORD" -eq 1 ]; then
        _reckon_words 'estimate predict fits search study timeline report validate models systems shapes import export diff calibrate calculon corpus tokenizer tokenize help --help --version'
        return
    fi
    case $path in
        import)
            [ "$COMP_CWORD" -eq 2 ] && _reckon_words 'hf megatron deepspeed torchtitan accelerate trainer axolotl llama-factory gpt-neox nanotron nemo primus megatron-yaml' && return
            path="$path ${COMP_WORDS[2]}" ;;
        export)
            [ "$COMP_CWORD" -eq 2 ] && _reckon_words 'megatron deepspeed torchtitan' && return
            path="$path ${COMP_WORDS[2]}" ;;
        calculon)
            [ "$COMP_CWORD" -eq 2 ] && _reckon_words 'llm llm-optimal-execution llm-all-executions llm-parameter-calculator' && return
            path="$path ${COMP_WORDS[2]}" ;;
        corpus)
            [ "$COMP_CWORD" -eq 2 ] && _reckon_words 'clean blend' && return
            path="$path ${COMP_WORDS[2]}" ;;
        tokenizer)
            [ "$COMP_CWORD" -eq 2 ] && _reckon_words 'train' && return
            path="$path ${COMP_WORDS[2]}" ;;
    esac
    case "$path $prev" in
        'estimate --model' | 'estimate -m') _reckon_words "$(reckon __list models 2>/dev/null)" && return ;;
        'estimate --system' | 'estimate -s') _reckon_words "$(reckon __list systems 2>/dev/null)" && return ;;
        'estimate --datatype' | 'estimate -d') _reckon_words 'float8 float16 bfloat16 float32' && return ;;
        'estimate --strategy') _reckon_files && return ;;
        'estimate --training') _reckon_words 'no yes' && return ;;
        'estimate --recompute') _reckon_words 'full attention none' && return ;;
        'estimate --optimizer-sharding') _reckon_words 'no yes' && return ;;
        'estimate --tensor-comm') _reckon_words 'all_reduce p2p_rs_ag rs_ag' && return ;;
        'estimate --redo-all-gather') _reckon_words 'no yes' && return ;;
        'estimate --data-overlap') _reckon_words 'no yes' && return ;;
        'estimate --tensor-overlap') _reckon_words 'none ring pipe' && return ;;
        'estimate --weight-offload') _reckon_words 'yes no both' && return ;;
        'estimate --activation-offload') _reckon_words 'yes no both' && return ;;
        'estimate --optimizer-offload') _reckon_words 'yes no both' && return ;;
        'estimate --fused-activation') _reckon_words 'no yes' && return ;;
        'estimate --output' | 'estimate -o') _reckon_files && return ;;
        'estimate --format' | 'estimate -f') _reckon_words 'table json csv' && return ;;
        'estimate --color') _reckon_words 'auto always never' && return ;;
        'predict --model' | 'predict -m') _reckon_words "$(reckon __list models 2>/dev/null)" && return ;;
        'predict --system' | 'predict -s') _reckon_words "$(reckon __list systems 2>/dev/null)" && return ;;
        'predict --plan' | 'predict -p') _reckon_files && return ;;
        'predict --save') _reckon_files && return ;;
        'predict --output' | 'predict -o') _reckon_files && return ;;
        'predict --format' | 'predict -f') _reckon_words 'table json csv' && return ;;
        'predict --color') _reckon_words 'auto always never' && return ;;
        'fits --plan' | 'fits -p') _reckon_files && return ;;
        'fits --save') _reckon_files && return ;;
        'fits --output' | 'fits -o') _reckon_files && return ;;
        'fits --format' | 'fits -f') _reckon_words 'table json csv' && return ;;
        'fits --color') _reckon_words 'auto always never' && return ;;
        'search --model' | 'search -m') _reckon_words "$(reckon __list models 2>/dev/null)" && return ;;
        'search --system' | 'search -s') _reckon_words "$(reckon __list systems 2>/dev/null)" && return ;;
        'search --datatype' | 'search -d') _reckon_words 'float8 float16 bfloat16 float32' && return ;;
        'search --space') _reckon_words 'classic modern' && return ;;
        'search --framework') _reckon_words 'megatron fsdp deepspeed' && return ;;
        'search --state') _reckon_files && return ;;
        'search --output' | 'search -o') _reckon_files && return ;;
        'search --all') _reckon_files && return ;;
        'search --recompute') _reckon_words 'full attention none' && return ;;
        'search --optimizer-sharding') _reckon_words 'no yes' && return ;;
        'search --tensor-comm') _reckon_words 'all_reduce p2p_rs_ag rs_ag' && return ;;
        'search --redo-all-gather') _reckon_words 'no yes' && return ;;
        'search --data-overlap') _reckon_words 'no yes' && return ;;
        'search --tensor-overlap') _reckon_words 'none ring pipe' && return ;;
        'search --weight-offload') _reckon_words 'yes no both' && return ;;
        'search --activation-offload') _reckon_words 'yes no both' && return ;;
        'search --optimizer-offload') _reckon_words 'yes no both' && return ;;
        'search --fused-activation') _reckon_words 'no yes' && return ;;
        'search --order') _reckon_words 'tp-cp-dp-pp tp-cp-pp-dp tp-dp-cp-pp tp-dp-pp-cp tp-pp-cp-dp tp-pp-dp-cp cp-tp-dp-pp cp-tp-pp-dp cp-dp-tp-pp cp-dp-pp-tp cp-pp-tp-dp cp-pp-dp-tp dp-tp-cp-pp dp-tp-pp-cp dp-cp-tp-pp dp-cp-pp-tp dp-pp-tp-cp dp-pp-cp-tp pp-tp-cp-dp pp-tp-dp-cp pp-cp-tp-dp pp-' && return ;;
        'search --sequence-parallel') _reckon_words 'no yes' && return ;;
        'search --context-kind') _reckon_words 'ring gather ulysses ring+ulysses' && return ;;
        'search --precision') _reckon_words 'fp32 tf32 fp16 bf16 fp8-delayed fp8-current fp8-block mxfp8 nvfp4' && return ;;
        'search --attention') _reckon_words 'unfused flash flash3 flash1' && return ;;
        'search --dispatcher') _reckon_words 'alltoall allgather deepep' && return ;;
        'search --expert-overlap') _reckon_words 'no yes' && return ;;
        'search --split') _reckon_words 'even ends balanced' && return ;;
        'search --pipeline-blocking') _reckon_words 'no yes' && return ;;
        'search --schedule') _reckon_words 'gpipe 1f1b zero-bubble dualpipe' && return ;;
        'search --keep-gathered') _reckon_words 'no yes' && return ;;
        'search --gradient-overlap') _reckon_words 'no yes' && return ;;
        'search --weight-overlap') _reckon_words 'no yes' && return ;;
        'search --regather') _reckon_words 'no yes' && return ;;
        'search --fused') _reckon_words 'no yes' && return ;;
        'search --format' | 'search -f') _reckon_words 'table json csv' && return ;;
        'search --color') _reckon_words 'auto always never' && return ;;
        'study --db') _reckon_files && return ;;
        'study --export') _reckon_words 'table json csv' && return ;;
        'study --output' | 'study -o') _reckon_files && return ;;
        'study --compare-with') _reckon_files && return ;;
        'timeline --model' | 'timeline -m') _reckon_words "$(reckon __list models 2>/dev/null)" && return ;;
        'timeline --system' | 'timeline -s') _reckon_words "$(reckon __list systems 2>/dev/null)" && return ;;
        'timeline --plan' | 'timeline -p') _reckon_files && return ;;
        'timeline --datatype' | 'timeline -d') _reckon_words 'float8 float16 bfloat16 float32' && return ;;
        'timeline --strategy') _reckon_files && return ;;
        'timeline --training') _reckon_words 'no yes' && return ;;
        'timeline --recompute') _reckon_words 'full attention none' && return ;;
        'timeline --optimizer-sharding') _reckon_words 'no yes' && return ;;
        'timeline --tensor-comm') _reckon_words 'all_reduce p2p_rs_ag rs_ag' && return ;;
        'timeline --redo-all-gather') _reckon_words 'no yes' && return ;;
        'timeline --data-overlap') _reckon_words 'no yes' && return ;;
        'timeline --tensor-overlap') _reckon_words 'none ring pipe' && return ;;
        'timeline --weight-offload') _reckon_words 'yes no both' && return ;;
        'timeline --activation-offload') _reckon_words 'yes no both' && return ;;
        'timeline --optimizer-offload') _reckon_words 'yes no both' && return ;;
        'timeline --fused-activation') _reckon_words 'no yes' && return ;;
        'timeline --schedule') _reckon_words 'gpipe 1f1b interleaved zb-h1' && return ;;
        'timeline --messages') _reckon_words 'charged blocking beside' && return ;;
        'timeline --output' | 'timeline -o') _reckon_files && return ;;
        'timeline --pytorch-csv') _reckon_files && return ;;
        'timeline --format' | 'timeline -f') _reckon_words 'table json csv' && return ;;
        'timeline --color') _reckon_words 'auto always never' && return ;;
        'report --output' | 'report -o') _reckon_files && return ;;
        'report --charts') _reckon_files && return ;;
        'report --model' | 'report -m') _reckon_words "$(reckon __list models 2>/dev/null)" && return ;;
        'report --system' | 'report -s') _reckon_words "$(reckon __list systems 2>/dev/null)" && return ;;
        'report --plan' | 'report -p') _reckon_files && return ;;
        'report --datatype' | 'report -d') _reckon_words 'float8 float16 bfloat16 float32' && return ;;
        'report --recompute') _reckon_words 'full attention none' && return ;;
        'report --optimizer-sharding') _reckon_words 'no yes' && return ;;
        'report --tensor-comm') _reckon_words 'all_reduce p2p_rs_ag rs_ag' && return ;;
        'report --redo-all-gather') _reckon_words 'no yes' && return ;;
        'report --data-overlap') _reckon_words 'no yes' && return ;;
        'report --tensor-overlap') _reckon_words 'none ring pipe' && return ;;
        'report --weight-offload') _reckon_words 'yes no both' && return ;;
        'report --activation-offload') _reckon_words 'yes no both' && return ;;
        'report --optimizer-offload') _reckon_words 'yes no both' && return ;;
        'report --fused-activation') _reckon_words 'no yes' && return ;;
        'validate --by') _reckon_words 'gpu family scale precision source framework kind metric fit' && return ;;
        'validate --rules') _reckon_files && return ;;
        'validate --output' | 'validate -o') _reckon_files && return ;;
        'validate --learn') _reckon_files && return ;;
        'validate --format' | 'validate -f') _reckon_words 'table json csv' && return ;;
        'validate --color') _reckon_words 'auto always never' && return ;;
        'models --format' | 'models -f') _reckon_words 'table json csv' && return ;;
        'models --color') _reckon_words 'auto always never' && return ;;
        'systems --format' | 'systems -f') _reckon_words 'table json csv' && return ;;
        'systems --color') _reckon_words 'auto always never' && return ;;
        'shapes --output' | 'shapes -o') _reckon_files && return ;;
        'shapes --format' | 'shapes -f') _reckon_words 'table json csv' && return ;;
        'shapes --color') _reckon_words 'auto always never' && return ;;
        'import hf --output' | 'import hf -o') _reckon_files && return ;;
        'import hf --as') _reckon_words 'llama mistral mixtral ministral ministral3 arcee gemma gemma2 gemma3_text phi phi3 phimoe qwen qwen2 qwen2_vl qwen2_vl_text qwen2_5_vl qwen2_5_vl_text qwen2_moe qwen3 qwen3_vl_text qwen3_moe qwen3_vl_moe_text qwen3_next qwen3_5_text qwen3_5_moe_text llama' && return ;;
        'import hf --format' | 'import hf -f') _reckon_words 'table json csv' && return ;;
        'import hf --color') _reckon_words 'auto always never' && return ;;
        'import megatron --deepspeed') _reckon_files && return ;;
        'import megatron --system' | 'import megatron -s') _reckon_words "$(reckon __list systems 2>/dev/null)" && return ;;
        'import megatron --output' | 'import megatron -o') _reckon_files && return ;;
        'import megatron --model-output') _reckon_files && return ;;
        'import megatron --format' | 'import megatron -f') _reckon_words 'table json csv' && return ;;
        'import megatron --color') _reckon_words 'auto always never' && return ;;
        'import deepspeed --model' | 'import deepspeed -m') _reckon_words "$(reckon __list models 2>/dev/null)" && return ;;
        'import deepspeed --system' | 'import deepspeed -s') _reckon_words "$(reckon __list systems 2>/dev/null)" && return ;;
        'import deepspeed --output' | 'import deepspeed -o') _reckon_files && return ;;
        'import deepspeed --model-output') _reckon_files && return ;;
        'import deepspeed --format' | 'import deepspeed -f') _reckon_words 'table json csv' && return ;;
        'import deepspeed --color') _reckon_words 'auto always never' && return ;;
        'import torchtitan --model' | 'import torchtitan -m') _reckon_words "$(reckon __list models 2>/dev/null)" && return ;;
        'import torchtitan --system' | 'import torchtitan -s') _reckon_words "$(reckon __list systems 2>/dev/null)" && return ;;
        'import torchtitan --output' | 'import torchtitan -o') _reckon_files && return ;;
        'import torchtitan --model-output') _reckon_files && return ;;
        'import torchtitan --format' | 'import torchtitan -f') _reckon_words 'table json csv' && return ;;
        'import torchtitan --color') _reckon_words 'auto always never' && return ;;
        'import accelerate --model' | 'import accelerate -m') _reckon_words "$(reckon __list models 2>/dev/null)" && return ;;
        'import accelerate --system' | 'import accelerate -s') _reckon_words "$(reckon __list systems 2>/dev/null)" && return ;;
        'import accelerate --output' | 'import accelerate -o') _reckon_files && return ;;
        'import accelerate --model-output') _reckon_files && return ;;
        'import accelerate --format' | 'import accelerate -f') _reckon_words 'table json csv' && return ;;
        'import accelerate --color') _reckon_words 'auto always never' && return ;;
        'import trainer --model' | 'import trainer -m') _reckon_words "$(reckon __list models 2>/dev/null)" && return ;;
        'import trainer --system' | 'import trainer -s') _reckon_words "$(reckon __list systems 2>/dev/null)" && return ;;
        'import trainer --output' | 'import trainer -o') _reckon_files && return ;;
        'import trainer --model-output') _reckon_files && return ;;
        'import trainer --format' | 'import trainer -f') _reckon_words 'table json csv' && return ;;
        'import trainer --color') _reckon_words 'auto always never' && return ;;
        'import axolotl --model' | 'import axolotl -m') _reckon_words "$(reckon __list models 2>/dev/null)" && return ;;
        'import axolotl --system' | 'import axolotl -s') _reckon_words "$(reckon __list systems 2>/dev/null)" && return ;;
        'import axolotl --output' | 'import axolotl -o') _reckon_files && return ;;
        'import axolotl --model-output') _reckon_files && return ;;
        'import axolotl --format' | 'import axolotl -f') _reckon_words 'table json csv' && return ;;
        'import axolotl --color') _reckon_words 'auto always never' && return ;;
        'import llama-factory --model' | 'import llama-factory -m') _reckon_words "$(reckon __list models 2>/dev/null)" && return ;;
        'import llama-factory --system' | 'import llama-factory -s') _reckon_words "$(reckon __list systems 2>/dev/null)" && return ;;
        'import llama-factory --output' | 'import llama-factory -o') _reckon_files && return ;;
        'import llama-factory --model-output') _reckon_files && return ;;
        'import llama-factory --format' | 'import llama-factory -f') _reckon_words 'table json csv' && return ;;
        'import llama-factory --color') _reckon_words 'auto always never' && return ;;
        'import gpt-neox --system' | 'import gpt-neox -s') _reckon_words "$(reckon __list systems 2>/dev/null)" && return ;;
        'import gpt-neox --output' | 'import gpt-neox -o') _reckon_files && return ;;
        'import gpt-neox --model-output') _reckon_files && return ;;
        'import gpt-neox --format' | 'import gpt-neox -f') _reckon_words 'table json csv' && return ;;
        'import gpt-neox --color') _reckon_words 'auto always never' && return ;;
        'import nanotron --system' | 'import nanotron -s') _reckon_words "$(reckon __list systems 2>/dev/null)" && return ;;
        'import nanotron --output' | 'import nanotron -o') _reckon_files && return ;;
        'import nanotron --model-output') _reckon_files && return ;;
        'import nanotron --format' | 'import nanotron -f') _reckon_words 'table json csv' && return ;;
        'import nanotron --color') _reckon_words 'auto always never' && return ;;
        'import nemo --system' | 'import nemo -s') _reckon_words "$(reckon __list systems 2>/dev/null)" && return ;;
        'import nemo --output' | 'import nemo -o') _reckon_files && return ;;
        'import nemo --model-output') _reckon_files && return ;;
        'import nemo --format' | 'import nemo -f') _reckon_words 'table json csv' && return ;;
        'import nemo --color') _reckon_words 'auto always never' && return ;;
        'import primus --system' | 'import primus -s') _reckon_words "$(reckon __list systems 2>/dev/null)" && return ;;
        'import primus --output' | 'import primus -o') _reckon_files && return ;;
        'import primus --model-output') _reckon_files && return ;;
        'import primus --format' | 'import primus -f') _reckon_words 'table json csv' && return ;;
        'import primus --color') _reckon_words 'auto always never' && return ;;
        'import megatron-yaml --system' | 'import megatron-yaml -s') _reckon_words "$(reckon __list systems 2>/dev/null)" && return ;;
        'import megatron-yaml --output' | 'import megatron-yaml -o') _reckon_files && return ;;
        'import megatron-yaml --model-output') _reckon_files && return ;;
        'import megatron-yaml --format' | 'import megatron-yaml -f') _reckon_words 'table json csv' && return ;;
        'import megatron-yaml --color') _reckon_words 'auto always never' && return ;;
        'export megatron --model' | 'export megatron -m') _reckon_words "$(reckon __list models 2>/dev/null)" && return ;;
        'export megatron --plan' | 'export megatron -p') _reckon_files && return ;;
        'export megatron --output' | 'export megatron -o') _reckon_files && return ;;
        'export deepspeed --model' | 'export deepspeed -m') _reckon_words "$(reckon __list models 2>/dev/null)" && return ;;
        'export deepspeed --plan' | 'export deepspeed -p') _reckon_files && return ;;
        'export deepspeed --output' | 'export deepspeed -o') _reckon_files && return ;;
        'export torchtitan --model' | 'export torchtitan -m') _reckon_words "$(reckon __list models 2>/dev/null)" && return ;;
        'export torchtitan --plan' | 'export torchtitan -p') _reckon_files && return ;;
        'export torchtitan --output' | 'export torchtitan -o') _reckon_files && return ;;
        'diff --system' | 'diff -s') _reckon_words "$(reckon __list systems 2>/dev/null)" && return ;;
        'diff --model' | 'diff -m') _reckon_words "$(reckon __list models 2>/dev/null)" && return ;;
        'diff --output' | 'diff -o') _reckon_files && return ;;
        'diff --format' | 'diff -f') _reckon_words 'table json csv' && return ;;
        'diff --color') _reckon_words 'auto always never' && return ;;
        'calibrate --gemm') _reckon_files && return ;;
        'calibrate --nccl') _reckon_files && return ;;
        'calibrate --runs') _reckon_files && return ;;
        'calibrate --output' | 'calibrate -o') _reckon_files && return ;;
        'calibrate --format' | 'calibrate -f') _reckon_words 'table json csv' && return ;;
        'calibrate --color') _reckon_words 'auto always never' && return ;;
        'calculon llm --peers' | 'calculon llm -p') _reckon_files && return ;;
        'calculon llm-optimal-execution --fused_activation' | 'calculon llm-optimal-execution -f') _reckon_words 'true t T True 1 false f F False 0 both all *' && return ;;
        'calculon llm-all-executions --fused_activation' | 'calculon llm-all-executions -f') _reckon_words 'true t T True 1 false f F False 0 both all *' && return ;;
        'corpus clean --list' | 'corpus clean -l') _reckon_files && return ;;
        'corpus clean --unit' | 'corpus clean -u') _reckon_words 'auto file paragraph line jsonl warc' && return ;;
        'corpus clean --language-table') _reckon_files && return ;;
        'corpus clean --evaluation' | 'corpus clean -e') _reckon_files && return ;;
        'corpus clean --output' | 'corpus clean -o') _reckon_files && return ;;
        'corpus clean --format' | 'corpus clean -f') _reckon_words 'table json csv' && return ;;
        'corpus clean --color') _reckon_words 'auto always never' && return ;;
        'corpus blend --output' | 'corpus blend -o') _reckon_files && return ;;
        'corpus blend --format' | 'corpus blend -f') _reckon_words 'table json csv' && return ;;
        'corpus blend --color') _reckon_words 'auto always never' && return ;;
        'tokenizer train --cut' | 'tokenizer train -c') _reckon_words 'default case arithmetic combined character llama3 qwen' && return ;;
        'tokenizer train --unit' | 'tokenizer train -u') _reckon_words 'auto file paragraph line jsonl warc' && return ;;
        'tokenizer train --output' | 'tokenizer train -o') _reckon_files && return ;;
        'tokenize --tokenizer' | 'tokenize -t') _reckon_files && return ;;
        'tokenize --unit' | 'tokenize -u') _reckon_words 'auto file paragraph line jsonl warc' && return ;;
        'tokenize --as' | 'tokenize -a') _reckon_words 'ids count bin' && return ;;
        'tokenize --output' | 'tokenize -o') _reckon_files && return ;;
        'tokenize --format' | 'tokenize -f') _reckon_words 'table json csv' && return ;;
        'tokenize --color') _reckon_words 'auto always never' && return ;;
    esac
    case $path in
        'estimate') flags='--model --system --gpus --batch --datatype --strategy --training --tensor --pipeline --data --interleaving --recompute --optimizer-sharding --tensor-comm --redo-all-gather --data-overlap --tensor-overlap --weight-offload --activation-offload --optimizer-offload --fused-activation --microbatch --tensor-network --pipeline-network --data-network --tokens --layers --output --format --color --help' operand= ;;
        'predict') flags='--model --system --gpus --plan --tokens --save --output --format --color --help' operand=plan ;;
        'fits') flags='--gpus --plan --save --output --format --color --help' operand='models systems plan' ;;
        'search') flags='--model --system --gpus --batch --datatype --space --framework --sequence --top --threads --exhaustive --state --explain --quiet --output --where --sort --pareto --all --why --sensitivity --tensor --pipeline --data --interleaving --recompute --optimizer-sharding --tensor-comm --redo-all-gather --data-overlap --tensor-overlap --weight-offload --activation-offload --optimizer-offload --fused-activation --microbatch --tensor-network --pipeline-network --data-network --context --expert-tensor --expert --order --sequence-parallel --context-kind --ulysses --precision --attention --dispatcher --expert-overlap --chunks --recompute-layers --split --pipeline-blocking --schedule --zero --shard-ranks --keep-gathered --gradient-overlap --weight-overlap --regather --fused --recompute-parts --uneven --format --color --help' operand=plan ;;
        'study') flags='--db --jobs --figure --export --output --list --dry-run --compare --compare-with --quiet --help' operand=file ;;
        'timeline') flags='--model --system --plan --gpus --batch --datatype --strategy --training --tensor --pipeline --data --interleaving --recompute --optimizer-sharding --tensor-comm --redo-all-gather --data-overlap --tensor-overlap --weight-offload --activation-offload --optimizer-offload --fused-activation --microbatch --tensor-network --pipeline-network --data-network --schedule --messages --output --pytorch-csv --window --stages --full --format --color --help' operand=plan ;;
        'report') flags='--output --charts --title --date --model --system --plan --search --top --threads --gpus --batch --datatype --tensor --pipeline --data --interleaving --recompute --optimizer-sharding --tensor-comm --redo-all-gather --data-overlap --tensor-overlap --weight-offload --activation-offload --optimizer-offload --fused-activation --microbatch --tensor-network --pipeline-network --data-network --help' operand=file ;;
        'validate') flags='--by --brief --rows --parts --left-out --regret --unmodelled --only --fit --constants --rules --output --learn --format --color --help' operand=file ;;
        'models') flags='--format --color --help' operand=models ;;
        'systems') flags='--format --color --help' operand=systems ;;
        'shapes') flags='--params --blocks --grid --top --step --hidden-step --sequence --output --format --color --help' operand= ;;
        'import hf') flags='--output --as --sequence --format --color --help' operand=file ;;
        'import megatron') flags='--gpus --set --vocabulary --variant --ignore --deepspeed --version --system --output --model-output --format --color --help' operand=file ;;
        'import deepspeed') flags='--model --gpus --set --ignore --system --output --model-output --format --color --help' operand=file ;;
        'import torchtitan') flags='--model --gpus --set --ignore --system --output --model-output --format --color --help' operand=file ;;
        'import accelerate') flags='--model --gpus --set --ignore --system --output --model-output --format --color --help' operand=file ;;
        'import trainer') flags='--model --gpus --set --ignore --system --output --model-output --format --color --help' operand=file ;;
        'import axolotl') flags='--model --gpus --set --ignore --system --output --model-output --format --color --help' operand=file ;;
        'import llama-factory') flags='--model --gpus --set --ignore --system --output --model-output --format --color --help' operand=file ;;
        'import gpt-neox') flags='--vocabulary --gpus --set --ignore --system --output --model-output --format --color --help' operand=file ;;
        'import nanotron') flags='--vocabulary --gpus --set --ignore --system --output --model-output --format --color --help' operand=file ;;
        'import nemo') flags='--vocabulary --gpus --set --ignore --system --output --model-output --format --color --help' operand=file ;;
        'import primus') flags='--vocabulary --gpus --set --ignore --system --output --model-output --format --color --help' operand=file ;;
        'import megatron-yaml') flags='--vocabulary --gpus --set --ignore --system --output --model-output --format --color --help' operand=file ;;
        'export megatron') flags='--model --plan --gpus --target --mock-data --gpus-per-node --output --help' operand=plan ;;
        'export deepspeed') flags='--model --plan --gpus --output --help' operand=plan ;;
        'export torchtitan') flags='--model --plan --gpus --output --help' operand=plan ;;
        'diff') flags='--system --model --best --gpus --set --vocabulary --output --format --color --help' operand='file file' ;;
        'calibrate') flags='--gemm --nccl --runs --collective --ranks --output --format --color --help' operand=systems ;;
        'calculon llm') flags='--peers --layers --help' operand='file file file file' ;;
        'calculon llm-optimal-execution') flags='--debug --cpus --noneok --fused_activation --mbs-break --top-n --layers --no-tp-overlap --no-dp-overlap --help' operand='file file file' ;;
        'calculon llm-all-executions') flags='--debug --cpus --noneok --fused_activation --help' operand='file file file' ;;
        'calculon llm-parameter-calculator') flags='--alignment --help' operand=file ;;
        'corpus clean') flags='--list --unit --most-bytes --most-expansion --languages --language-table --any-quality --near --evaluation --output --validation --test --seed --threads --format --color --help' operand=file ;;
        'corpus blend') flags='--tokens --most-epochs --output --seed --format --color --help' operand=file ;;
        'tokenizer train') flags='--vocabulary --cut --least --unit --threads --output --help' operand=file ;;
        'tokenize') flags='--tokenizer --unit --decode --as --output --threads --format --color --help' operand=file ;;
    esac
    case $cur:$operand in
        -*) _reckon_words "$flags" ;;
        *:file) _reckon_files ;;
        *:?*) _reckon_words "$(for o in $operand; do reckon __list "$o" 2>/dev/null; done)" ;;
        *) _reckon_words "$flags" ;;
    esac
}
complete -F _reckon reckon
