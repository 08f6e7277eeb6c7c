/* What single arguments of Megatron-LM and its relatives mean. */
#include "megatron_cases.h"

/* arguments.py: 4 h, with --swiglu int(4 h * 2 / 3 / 64) * 64 = 42 * 64; linear layers have biases,
 * the head shares the embedding, both dropouts are 0.1. */
Test(megatron_arguments, defaults_of_the_model)
{
    const struct rk_model *m = model_with("");
    cr_expect_eq(m->feedforward, 4096);
    cr_expect(m->biases && m->tied_embeddings && !m->gated_mlp && !m->no_dropout);
    cr_expect_eq(m->norm, RK_LAYER_NORM);
    cr_expect_eq(m->position, RK_POSITION_LEARNED);
    cr_expect_eq(model_with("--swiglu")->feedforward, 2688);
    m = model_with("--attention-dropout 0 --untie-embeddings-and-output-weights "
                   "--disable-bias-linear --use-rotary-position-embeddings "
                   "--normalization RMSNorm");
    cr_expect(!m->no_dropout && !m->tied_embeddings && !m->biases);
    cr_expect_eq(m->norm, RK_RMS_NORM);
    cr_expect_eq(m->position, RK_POSITION_ROPE);
    cr_expect(model_with("--attention-dropout 0 --hidden-dropout 0.0")->no_dropout);
}

Test(megatron_arguments, attention_of_the_model)
{
    cr_expect_eq(model_with("--group-query-attention --num-query-groups 4")->kv_heads, 4);
    cr_expect_eq(model_with("--num-query-groups 4")->kv_heads, 0);
    cr_expect_eq(model_with("--kv-channels 96")->head_dim, 96);
    cr_expect_eq(model_with("")->head_dim, 64);
    cr_expect_eq(model_with("--window-size 4095,0")->window, 4096); /* and the token itself */
    const struct rk_model *m =
        model_with("--multi-latent-attention --kv-lora-rank 256 --qk-head-dim 96 "
                   "--qk-pos-emb-head-dim 48 --v-head-dim 80 --qk-layernorm");
    cr_expect(m->kv_rank == 256 && m->head_dim == 96 && m->rope_dim == 48 && m->value_dim == 80);
    cr_expect_eq(m->q_rank, 0);
}

/* Of eight layers: every second one, the second first; all behind two dense ones; every third. */
Test(megatron_arguments, mixtures_of_the_model)
{
    const struct rk_model *m = model_with("--num-experts 8");
    cr_expect(m->active_experts == 2 && m->expert_feedforward == 4096 && m->dense_layers == 0);
    m = model_with("--num-experts 8 --moe-router-topk 3 --moe-ffn-hidden-size 512 "
                   "--moe-shared-expert-intermediate-size 1024");
    cr_expect(m->active_experts == 3 && m->expert_feedforward == 512 && m->shared_experts == 2);
    m = model_with("--num-experts 8 --moe-layer-freq [0,1]*4");
    cr_expect(m->expert_every == 2 && m->dense_layers == 0);
    m = model_with("--num-experts 8 --moe-layer-freq [0]*2+[1]*6");
    cr_expect(m->expert_every == 0 && m->dense_layers == 2);
    m = model_with("--num-experts 8 --moe-layer-freq [0,0,0,1,0,0,1,0]");
    cr_expect(m->expert_every == 3 && m->dense_layers == 1, "%d behind %d", (int)m->expert_every,
              (int)m->dense_layers);
}

/* 64 GPUs. */
Test(megatron_arguments, data_of_the_plan)
{
    const struct rk_plan *p = plan_with("--use-distributed-optimizer");
    cr_expect(p->zero == 1 && p->shard_ranks == 0);
    p = plan_with("--use-distributed-optimizer --num-distributed-optimizer-instances 4");
    cr_expect_eq(p->shard_ranks, 16);
    static const struct {
        const char *strategy;
        int zero;
    } rows[] = {{"no_shard", 0}, {"optim", 1}, {"optim_grads", 2}, {"optim_grads_params", 3}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char text[256];
        snprintf(
            text, sizeof text,
            "--use-megatron-fsdp --use-distributed-optimizer --data-parallel-sharding-strategy "
            "%s --no-gradient-accumulation-fusion --ckpt-format fsdp_dtensor",
            rows[i].strategy);
        cr_expect_eq(plan_with(text)->zero, rows[i].zero, "%s", rows[i].strategy);
    }
}

Test(megatron_arguments, recomputation_of_the_plan)
{
    const struct rk_plan *p = plan_with("--recompute-granularity full --recompute-method block "
                                        "--recompute-num-layers 3");
    cr_expect(p->recompute == RK_WHOLE && p->recompute_layers == 3 && p->recompute_every == 0);
    p = plan_with("--recompute-granularity full --recompute-method block "
                  "--recompute-num-layers 0");
    cr_expect(p->recompute == RK_KEEP, "the first 0 layers");
    p = plan_with("--recompute-granularity full --recompute-method uniform "
                  "--recompute-num-layers 4");
    cr_expect(p->recompute == RK_WHOLE && p->recompute_layers == 0 && p->recompute_every == 4);
    p = plan_with("--recompute-activations");
    cr_expect_eq(p->recompute, RK_SELECTIVE);
    cr_expect_eq(p->recompute_parts, 1u << RK_PART_CORE_ATTENTION);
    p = plan_with("--recompute-granularity selective --recompute-modules mlp layernorm");
    cr_expect_eq(p->recompute_parts, 1u << RK_PART_MLP | 1u << RK_PART_NORM);
}

Test(megatron_arguments, graphs_of_the_plan)
{
    const unsigned both = 1u << RK_GRAPH_ATTENTION | 1u << RK_GRAPH_ROUTER;
    const struct rk_plan *p = plan_with("--cuda-graph-impl local");
    cr_expect_eq(p->graph_parts, 1u << RK_GRAPH_ATTENTION | 1u << RK_GRAPH_MLP, "whole layers");
    p = plan_with("--cuda-graph-impl local --cuda-graph-scope full");
    cr_expect_eq(p->graph_parts, 1u << RK_GRAPH_ATTENTION | 1u << RK_GRAPH_MLP, "whole layers");
    p = plan_with("--cuda-graph-impl local --cuda-graph-scope full_iteration");
    cr_expect(p->cuda_graphs && p->graph_parts == 0);
    p = plan_with("--cuda-graph-impl transformer_engine --cuda-graph-scope attn moe_router");
    cr_expect(p->cuda_graphs && p->graph_parts == both);
    p = plan_with("--cuda-graph-scope attn moe_router");
    cr_expect(!p->cuda_graphs && p->graph_parts == 0, "nothing is captured");
    cr_expect_eq(notes_count(&import.notes, NOTE_WARNING), 1);
}

Test(megatron_arguments, experts_of_the_plan)
{
    const struct rk_plan *p = plan_with("--num-experts 8");
    cr_expect_eq(p->dispatcher, RK_ALL_GATHER_TOKENS);
    cr_expect_eq(p->capacity_factor, 0);
    p = plan_with("--num-experts 8 --moe-token-dispatcher-type alltoall "
                  "--moe-expert-capacity-factor 1.25 --moe-pad-expert-input-to-capacity");
    cr_expect_eq(p->dispatcher, RK_ALL_TO_ALL);
    cr_expect(p->capacity_factor == 1.25 && p->capacity_padded);
}

Test(megatron_arguments, context_of_the_plan)
{
    static const struct {
        const char *type;
        enum rk_context_kind kind;
    } rows[] = {{"p2p", RK_RING}, {"all_gather", RK_GATHER}, {"a2a", RK_ULYSSES}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char text[128];
        snprintf(text, sizeof text, "--context-parallel-size 4 --cp-comm-type %s", rows[i].type);
        cr_expect_eq(plan_with(text)->context_kind, rows[i].kind, "%s", rows[i].type);
        cr_expect_eq(import.plan.context, 4);
    }
}

Test(megatron_arguments, bytes_and_kernels_of_the_plan)
{
    cr_expect_eq(plan_with("")->gradient_element_bytes, 0);
    cr_expect_eq(plan_with("--grad-reduce-in-bf16")->gradient_element_bytes, 2);
    const struct rk_plan *p = plan_with("--transformer-impl local");
    cr_expect(p->attention == RK_UNFUSED && !p->transformer_engine);
    p = plan_with("--attention-backend flash");
    cr_expect(p->attention == RK_FLASH && p->fused && p->transformer_engine);
}

/* Two of eight layers; half of the optimizer. */
Test(megatron_arguments, offload_of_the_plan)
{
    cr_expect_eq(plan_with("--cpu-offloading-num-layers 2")->share[RK_SHARE_ATTENTION][0], 0.25);
    const struct rk_plan *p =
        plan_with("--optimizer-cpu-offload --optimizer-offload-fraction 0.5 "
                  "--use-precision-aware-optimizer --use-distributed-optimizer");
    cr_expect_eq(p->share[RK_SHARE_OPTIMIZER][0], 0.5);
    /* of a token's values 1024 each into norms, query-key-value, output and MLP, 3072 of attention,
     * 4096 on either side of the activation: 2048 of 16384 */
    p = plan_with("--fine-grained-activation-offloading --offload-modules attn_norm qkv_linear "
                  "--transformer-impl transformer_engine");
    cr_expect_eq(p->share[RK_SHARE_ATTENTION][0], 0.125);
}

/* ---- relatives of Megatron Core ---- */

/* Megatron-LM 2.x: arguments.py of v2.6 makes --checkpoint-activations the method "uniform". */
Test(megatron_arguments, recomputation_before_core)
{
    const struct rk_plan *p = plan_with("--checkpoint-activations");
    cr_expect(p->recompute == RK_WHOLE && p->recompute_every == 0 && !p->transformer_engine);
    cr_expect_str_eq(import.tool, "Megatron-LM before Core");
    p = plan_with("--checkpoint-activations --checkpoint-num-layers 4");
    cr_expect_eq(p->recompute_every, 4);
    p = plan_with("--activations-checkpoint-method block --activations-checkpoint-num-layers 3");
    cr_expect(p->recompute == RK_WHOLE && p->recompute_layers == 3);
    p = plan_with("--model-parallel-size 4 --DDP-impl local");
    cr_expect_eq(p->tensor, 4);
}

/* The file that the script writes decides, not --zero-stage. */
Test(megatron_arguments, deepspeed_as_the_script_writes_it)
{
    static const char script[] =
        "STAGE=1\nMB=1\nCONFIG=./ds.$SLURM_JOB_ID.json\n"
        "cat <<EOT > $CONFIG\n"
        "{\"train_micro_batch_size_per_gpu\": $MB, \"train_batch_size\": 64,\n"
        " \"zero_optimization\": {\"stage\": $STAGE}, \"bf16\": {\"enabled\": true}}\n"
        "EOT\n"
        "CMD=\"pretrain_gpt.py " SMALL "--global-batch-size 64 --deepspeed --zero-stage 3 "
        "--deepspeed_config $CONFIG --checkpoint-activations --deepspeed-activation-checkpointing "
        "--position-embedding-type alibi --embed-layernorm --num-experts 1\"\n"
        "echo $CMD\npdsh -w a,b echo deepspeed $CMD\nsrun bash -c \"deepspeed $CMD\"\n";
    const struct megatron_options options = {.gpus = 64};
    struct rk_error error = {.text = ""};
    cr_assert_eq(read_text(script, &options, &error), RK_OK, "%s", error.text);
    cr_expect_str_eq(import.tool, "Megatron-DeepSpeed");
    cr_expect_eq(import.plan.framework, RK_DEEPSPEED);
    cr_expect_eq(import.plan.zero, 1);
    cr_expect_eq(import.plan.recompute, RK_WHOLE);
    cr_expect_eq(import.plan.attention, RK_UNFUSED);
    cr_expect_eq(import.model.position, RK_POSITION_ALIBI);
    cr_expect(import.model.embedding_norm && !import.model.experts);
}

Test(megatron_arguments, deepspeed_without_its_file)
{
    const struct rk_plan *p = plan_with("--deepspeed --deepspeed_config absent.json --zero-stage 2 "
                                        "--ds-sequence-parallel-size 4 --num-key-value-heads 4");
    cr_expect(p->zero == 2 && p->context == 4 && p->context_kind == RK_ULYSSES);
    cr_expect_eq(import.model.kv_heads, 4);
    const struct megatron_options options = {
        .gpus = 64,
        .deepspeed = "{\"train_micro_batch_size_per_gpu\": 1, \"zero_optimization\": {\"stage\": "
                     "3, \"offload_optimizer\": {\"device\": \"cpu\"}}, "
                     "\"optimizer\": {\"type\": \"Lion\"}}"};
    struct rk_error error;
    cr_assert_eq(read_text(SMALL "--deepspeed --deepspeed_config x.json", &options, &error), RK_OK);
    cr_expect(import.plan.zero == 3 && import.plan.share[RK_SHARE_OPTIMIZER][0] == 1);
    cr_expect_eq(import.plan.optimizer, RK_ADAM); /* the argument's, not the file's */
    const struct megatron_options none = {.gpus = 64};
    cr_expect_eq(
        read_text(SMALL "--deepspeed --deepspeed_config in-no-folder-above.json", &none, &error),
        RK_BAD_INPUT);
    cr_expect(strstr(error.text, "give --deepspeed FILE"), "%s", error.text);
}

/* Chunks are of the whole sequence: 2048 tokens in four of 512. */
Test(megatron_arguments, chunks_of_the_sequence)
{
#define CHUNKS                                                                                     \
    "--deepspeed --zero-stage 3 --seq-length 2048 --max-position-embeddings 2048 "                 \
    "--ds-sequence-parallel-size 4 --checkpoint-activations --ds-sequence-parallel-fpdt "
    const struct rk_plan *p = plan_with(CHUNKS "--ds-sequence-parallel-fpdt-offloading "
                                               "--ds-sequence-parallel-fpdt-chunk-size 512");
    cr_expect_eq(p->sequence_chunks, 4);
    cr_expect(p->loss_in_chunks && p->recompute == RK_WHOLE && p->context_kind == RK_ULYSSES);
    p = plan_with(CHUNKS "--ds-sequence-parallel-fpdt-offloading "
                         "--ds-sequence-parallel-fpdt-chunk-size 2048");
    cr_expect_eq(p->sequence_chunks, 1);
    const struct megatron_options options = {.gpus = 64};
    struct rk_error error;
    cr_expect_eq(
        read_text(SMALL CHUNKS "--ds-sequence-parallel-fpdt-chunk-size 512", &options, &error),
        RK_BAD_INPUT);
    cr_expect(strstr(error.text, "--ds-sequence-parallel-fpdt-offloading"), "%s", error.text);
    cr_expect_eq(read_text(SMALL CHUNKS "--ds-sequence-parallel-fpdt-offloading "
                                        "--ds-sequence-parallel-fpdt-chunk-size 600",
                           &options, &error),
                 RK_BAD_INPUT);
    cr_expect(strstr(error.text, "does not divide --seq-length 2048"), "%s", error.text);
#undef CHUNKS
}

Test(megatron_arguments, experts_of_deepspeed)
{
    const struct rk_plan *p =
        plan_with("--num-experts 64 64 --moe-expert-parallel-size 8 --deepspeed --zero-stage 1");
    cr_expect(p->expert == 8 && p->capacity_factor == 1 && p->dispatcher == RK_ALL_TO_ALL);
    cr_expect(import.model.expert_every == 2 && import.model.active_experts == 1);
    p = plan_with("--num-experts 64 --expert-interval 1 --topk 2 --disable-moe-token-dropping "
                  "--deepspeed --zero-stage 1");
    cr_expect(p->capacity_factor == 0 && import.model.active_experts == 2 &&
              import.model.expert_every == 0);
}
