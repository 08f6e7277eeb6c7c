/* Scripts as people write them: launchers, forks of Megatron-LM, and what is asked for when a
 * script does not say it. */
#include "megatron/megatron.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

static struct megatron_import import; /* large */

#define SIZES                                                                                      \
    "--num-layers 24 --hidden-size 1024 --num-attention-heads 16 --seq-length 2048 "               \
    "--max-position-embeddings 2048 --micro-batch-size 1 --vocab-size 50304 --bf16 "

static struct rk_error error;

static enum rk_status read_text(const char *text, uint64_t gpus)
{
    const struct megatron_options options = {.gpus = gpus};
    error = (struct rk_error){.text = ""};
    return megatron_read("x.sh", text, strlen(text), &options, &import, &error);
}

static void take(const char *text, uint64_t gpus)
{
    cr_assert_eq(read_text(text, gpus), RK_OK, "%s: %s", text, error.text);
}

static bool warns_of(const char *what, enum rk_severity severity)
{
    for (int i = 0; i < import.notes.count; i++)
        if (strcmp(import.notes.note[i].what, what) == 0 &&
            import.notes.note[i].severity == severity)
            return true;
    return false;
}

/* What says how many GPUs a run has. */
Test(megatron_scripts, launchers)
{
    static const struct {
        const char *script;
        uint64_t gpus;
    } rows[] = {
        {"deepspeed --num_gpus 4 pretrain_gpt.py " SIZES, 4},
        {"deepspeed --num_nodes 2 --num_gpus 4 pretrain_gpt.py " SIZES, 8},
        {"#SBATCH --nodes 128\n#SBATCH --gpus 512\nsrun python pretrain_gpt.py " SIZES, 512},
        {"#SBATCH -N 2\n#SBATCH -G 16\nsrun python pretrain_gpt.py " SIZES, 16},
        {"srun -N 4 --gpus 32 python pretrain_gpt.py " SIZES, 32},
        {"WORLD_SIZE=6 python pretrain_gpt.py " SIZES, 6},
        {"bcprun -p 8 -c 'torchrun --nproc_per_node 8 pretrain_gpt.py " SIZES "'", 8},
        {"ssh host \"cd run && torchrun --nproc_per_node 4 pretrain_gpt.py " SIZES "\"", 4},
        {"V=3\ntorchrun --nproc_per_node 2 pretrain_gpt.py " SIZES
         "${V:+--num-layers-per-virtual-pipeline-stage \"$V\"} --pipeline-model-parallel-size 2 "
         "--global-batch-size 8",
         2},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        take(rows[i].script, 0);
        cr_expect_eq(import.plan.ranks, rows[i].gpus, "%s: %llu", rows[i].script,
                     (unsigned long long)import.plan.ranks);
    }
    cr_expect_eq(import.plan.chunks, 4);
    cr_expect_eq(read_text("deepspeed --hostfile h --num_gpus 4 pretrain_gpt.py " SIZES, 0),
                 RK_BAD_INPUT);
}

/* Gated delta rule in all layers but every fourth. */
Test(megatron_scripts, linear_attention)
{
    take("torchrun --nproc_per_node 8 pretrain_gpt.py " SIZES
         "--experimental-attention-variant gated_delta_net --linear-attention-freq 4 "
         "--linear-num-value-heads 8 --attention-output-gate",
         0);
    cr_expect_str_eq(import.model.mixers, "rrra");
    cr_expect_eq(import.model.recurrence, RK_GATED_DELTA);
    cr_expect_eq(import.model.recurrent_heads, 8);
    cr_expect_eq(import.model.state, 128);
    cr_expect(import.model.attention_gate);
    take("torchrun --nproc_per_node 8 pretrain_gpt.py " SIZES
         "--experimental-attention-variant gdn --linear-attention-freq '([1]*2+[0]*1)*8'",
         0);
    cr_expect_str_eq(import.model.mixers, "rra");
    take("torchrun --nproc_per_node 8 pretrain_gpt.py " SIZES
         "--full-attention-interval 4 --mamba-d-conv 4 --mamba-expand 1 --linear-key-head-dim 128 "
         "--linear-num-key-heads 16 --linear-num-value-heads 32 --linear-value-head-dim 128 "
         "--spec mindspeed_llm.tasks.models.spec.qwen3_next_spec layer_spec",
         0);
    cr_expect_str_eq(import.model.mixers, "rrra");
    cr_expect(import.model.attention_gate);
}

/* What nothing sets is nothing for bash in the place of an argument, and is listed. */
Test(megatron_scripts, lists_that_nothing_sets)
{
    take("f() {\n local all\n all+=\"--tensor-model-parallel-size 2\"\n"
         " if [ \"$MORE\" = 1 ]; then all+=\" --seed 1\"; fi\n"
         " torchrun --nproc_per_node 8 pretrain_gpt.py $all $EXTRA \"${LIST[@]}\" " SIZES
         "\n}\nf\n",
         0);
    cr_expect_eq(import.plan.local.tensor, 2);
    cr_expect(warns_of("$EXTRA", RK_ASSUMED));
    cr_expect(warns_of("LIST", RK_ASSUMED));
}

/* Where DeepSpeed's file has another batch, one of the two is chosen by name; --ignore reaches the
 * file's own keys, several with commas. */
Test(megatron_scripts, batch_of_deepspeed)
{
    static const char text[] =
        "cat > ds.json <<'EOT'\n{\"train_micro_batch_size_per_gpu\": 4, "
        "\"zero_optimization\": {\"stage\": 1}, \"sparse_attention\": {\"mode\": \"fixed\"}}\nEOT\n"
        "deepspeed --num_gpus 8 pretrain_gpt.py --deepspeed --deepspeed_config ds.json "
        "--zero-stage 2 --optimizer fusedadamw " SIZES;
    static const char *const sparse[] = {"sparse_attention"};
    static const char *const both[] = {"--sparse_attention,train_micro_batch_size_per_gpu"};
    struct megatron_options options = {.ignored = sparse, .ignored_count = 1};
    cr_expect_eq(megatron_read("x.sh", text, strlen(text), &options, &import, &error),
                 RK_BAD_INPUT);
    cr_expect(strstr(error.text, "give --ignore train_micro_batch_size_per_gpu"), "%s", error.text);
    options.ignored = both;
    cr_assert_eq(megatron_read("x.sh", text, strlen(text), &options, &import, &error), RK_OK, "%s",
                 error.text);
    cr_expect_eq(import.plan.microbatch, 1);
    cr_expect_eq(import.plan.zero, 1); /* as the file says */
    cr_expect(warns_of("--zero-stage", RK_WARNING));
}

/* What a script needs to be told is named. */
Test(megatron_scripts, what_is_asked_for)
{
    static const struct {
        const char *script, *message;
    } rows[] = {
        {"if [ \"$BACKEND\" = mpi ]; then APP=\"pretrain_gpt.py " SIZES
         "\"; else APP=\"torchrun pretrain_gpt.py " SIZES "\"; fi\n${APP}\n",
         "give --set BACKEND=VALUE"},
        {"[ -z \"$ROOT\" ] && exit 1\ntorchrun pretrain_gpt.py " SIZES,
         "$ROOT is not set in this script, which ends without it: give --set ROOT=VALUE"},
        {"if [ $MODE = full ]; then X=4; elif [ $MODE = none ]; then X=8; fi\n"
         "torchrun --nproc_per_node $X pretrain_gpt.py " SIZES,
         "give --set MODE=VALUE (it is compared with full, none)"},
        {"case $CARD in A3) X=16 ;; A2) X=8 ;; esac\ntorchrun --nproc_per_node $X "
         "pretrain_gpt.py " SIZES,
         "give --set CARD=VALUE (it is compared with A3, A2)"},
        {"source conf/$MODEL.sh\ntorchrun pretrain_gpt.py $MODEL_ARGS --micro-batch-size 1",
         "$MODEL_ARGS is not set in this script, but it sources conf/$MODEL.sh: give --set "
         "MODEL=VALUE"},
        {"torchrun pretrain_gpt.py $MODEL_ARGS --micro-batch-size 1",
         "--num-layers is missing, and $MODEL_ARGS is not set, which may have it"},
        {"torchrun pretrain_gpt.py --experimental-attention-variant dsa " SIZES,
         "attention of another kind"},
        {"torchrun pretrain_gpt.py --experimental-attention-variant gdn " SIZES,
         "--linear-attention-freq is missing"},
        {"torchrun pretrain_gpt.py --spec mindspeed_llm.tasks.models.spec.longcat_spec "
         "layer_spec " SIZES,
         "a layer has two attentions"},
        {"GPT_ARGS=\"" SIZES "\"\n", "it only sets GPT_ARGS"},
        {"python tools/checkpoint/convert.py " SIZES, "tools/checkpoint/convert.py evaluates"},
        {"TP=2\n[ \"$BIG\" = 1 ] && TP=8\ntorchrun pretrain_gpt.py " SIZES
         "--tensor-model-parallel-size $TP",
         "give --set BIG=VALUE"},
        {"torchrun --nproc_per_node 4 pretrain_gpt.py " SIZES
         "--pipeline-model-parallel-size 4 --num-layer-list 6,6,6",
         "has 3 stages and 18 layers, for 4 and 24"},
        {"torchrun pretrain_gpt.py " SIZES "--block-lm", "blocks that are written behind the text"},
        {"torchrun pretrain_gpt.py " SIZES "--sparse-gizmo 4", "give --ignore sparse-gizmo"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        cr_expect_eq(read_text(rows[i].script, 0), RK_BAD_INPUT, "%s", rows[i].script);
        cr_expect(strstr(error.text, rows[i].message), "%s: %s", rows[i].script, error.text);
    }
}

/* The arguments of others than Megatron Core, as their parsers and models have them. */
Test(megatron_scripts, megablocks)
{
    take("pretrain_gpt.py " SIZES
         "--moe-num-experts 64 --moe-top-k 2 --moe-expert-model-parallelism --DDP-impl local "
         "--global-batch-size 64",
         16);
    cr_expect(import.model.experts == 64 && import.model.active_experts == 2);
    cr_expect(import.plan.expert == 16 && import.plan.capacity_factor == 0 && import.plan.grouped);
    take("pretrain_gpt.py " SIZES
         "--moe-num-experts 8 --moe-expert-model-parallelism --moe-capacity-factor 2 "
         "--DDP-impl local --global-batch-size 64",
         16);
    cr_expect(import.plan.expert == 8 && import.plan.capacity_factor == 2);
    cr_expect_eq(import.model.active_experts, 1);
}

Test(megatron_scripts, megatron_llm)
{
    take("python pretrain_gpt.py --num_layers 32 --hidden_size 4096 --num_attention_heads 32 "
         "--num_attention_heads_kv 8 --seq_length 2048 --max_position_embeddings 2048 "
         "--micro_batch_size 1 --vocab_size 32000 --use_rms_norm --glu_activation swiglu "
         "--no_tie_embed_logits --position_embedding_type rotary --ffn_hidden_size 14336 "
         "--tensor_model_parallel_size 2 --bf16 --sequence_parallel --recompute_granularity full "
         "--recompute_method uniform --lr_warmup_iters 10",
         4);
    cr_expect_str_eq(import.tool, "Megatron-LLM");
    cr_expect(!import.model.biases && import.model.gated_mlp && !import.model.tied_embeddings);
    cr_expect(import.model.kv_heads == 8 && import.model.norm == RK_RMS_NORM);
    cr_expect(import.plan.tensor == 2 && import.plan.recompute == RK_WHOLE);
}

Test(megatron_scripts, mindspeed)
{
    take("pretrain_gpt.py " SIZES "--pipeline-model-parallel-size 4 --num-layer-list 7,6,6,5 "
         "--use-fused-rmsnorm --global-batch-size 8",
         8);
    cr_expect(rk_plan_layout(&import.plan)->splits == 4 &&
              rk_plan_layout(&import.plan)->split[0] == 7 &&
              rk_plan_layout(&import.plan)->split[3] == 5);
    take("pretrain_gpt.py " SIZES "--post-norm --interleave-sliding-window 4096 "
         "--attn-logit-softcapping 50.0 --output-logit-softcapping 30.0",
         8);
    cr_expect(import.model.block_norms == 4 && import.model.window == 4096);
    cr_expect(import.model.window_every == 2 && import.model.attention_cap);
    cr_expect(import.model.logit_cap);
    take("pretrain_gpt.py " SIZES "--pipeline-model-parallel-size 2 "
         "--num-layers-per-virtual-pipeline-stage 3 --global-batch-size 8 "
         "--recompute-granularity full --recompute-method block --recompute-num-layers 8 "
         "--enable-recompute-layers-per-pp-rank",
         2);
    cr_expect(import.plan.chunks == 4 && import.plan.recompute_layers == 2);
}

Test(megatron_scripts, zero_bubble)
{
    take("pretrain_gpt.py " SIZES "--pipeline-model-parallel-size 4 --enable-zero-bubble "
         "--enable-zb-runtime --global-batch-size 8",
         4);
    cr_expect_eq(import.plan.schedule, RK_ZERO_BUBBLE);
}

/* Shared experts of another width than the others. */
Test(megatron_scripts, shared_width)
{
    take("pretrain_gpt.py " SIZES "--num-experts 8 --moe-ffn-hidden-size 768 "
         "--moe-shared-expert-intermediate-size 1024",
         8);
    cr_expect(import.model.shared_experts == 1 && import.model.shared_feedforward == 1024);
}

/* Names that say what they are about pass, and the answer says so; others are refused. */
Test(megatron_scripts, names_that_do_not_matter)
{
    take("pretrain_gpt.py " SIZES "--my-corpus-path a b --wandb-shiny-name x --my_lr_decay-file y",
         8);
    cr_expect(warns_of("--my-corpus-path", NOTE_WARNING));
    cr_expect(warns_of("--wandb-shiny-name", NOTE_WARNING));
    cr_expect(warns_of("--my_lr_decay-file", NOTE_WARNING));
    cr_expect_eq(read_text("pretrain_gpt.py " SIZES "--data-parallel-shards 4", 8), RK_BAD_INPUT);
}
