/* megatron_plan_memory.c - recomputation and offload. */
#include "megatron/megatron_args.h"
#include "megatron/megatron_plan_parts.h"

#include <inttypes.h>
#include <math.h>
#include <reckon/predict.h>
#include <string.h>

static void read_parts(const struct megatron_args *args, struct rk_plan *plan)
{
    plan->recompute = RK_SELECTIVE;
    if (!HAS(RECOMPUTE_MODULES)) {
        plan->recompute_parts |= 1u << RK_PART_CORE_ATTENTION;
        if (HAS(RECOMPUTE_GRANULARITY) && args->since >= 12)
            megatron_note(args, NOTE_ASSUMED, FLAG(RECOMPUTE_MODULES), "core_attn",
                          "Megatron-LM's default");
        return;
    }
    for (int part = 0; part < RK_PARTS; part++)
        if (megatron_lists(args, FLAG(RECOMPUTE_MODULES), rk_part_name((enum rk_part)part)))
            plan->recompute_parts |= 1u << part;
}

/* Before Core, and in Megatron-DeepSpeed: every N layers from their inputs, or the first of a
 * stage. --deepspeed-activation-checkpointing only says whose function does it. */
static bool read_old_recompute(const struct megatron_args *args, struct rk_plan *plan)
{
    const bool method = args->tool != MEGATRON_DEEPSPEED && HAS(RECOMPUTE_METHOD);
    if (!megatron_is_old(args)) return false;
    if (HAS(DS_CHECKPOINTING) && !HAS(CHECKPOINT_ACTIVATIONS))
        megatron_note(args, NOTE_WARNING, FLAG(DS_CHECKPOINTING), "",
                      "recomputes nothing without --checkpoint-activations");
    if (!HAS(CHECKPOINT_ACTIVATIONS) && !method) return false;
    plan->recompute = RK_WHOLE;
    if (IS(RECOMPUTE_METHOD, "block"))
        plan->recompute_layers = COUNT(RECOMPUTE_NUM_LAYERS, 1);
    else
        plan->recompute_every = COUNT(RECOMPUTE_NUM_LAYERS, 1);
    if (plan->recompute_every == 1) plan->recompute_every = 0;
    plan->checkpoint_sharded |= HAS(PARTITION_ACTIVATIONS) && HAS(DS_CHECKPOINTING);
    return true;
}

/* --recompute-num-layers counts for each virtual stage, of MindSpeed perhaps for each rank. */
static uint64_t layers_of_chunk(const struct megatron_args *args, const struct rk_plan *plan)
{
    const uint64_t layers = COUNT(RECOMPUTE_NUM_LAYERS, 0);
    if (!HAS(RECOMPUTE_PER_RANK) || plan->chunks < 2) return layers;
    if (layers % plan->chunks)
        megatron_refuse(args, "1.covered", FLAG(RECOMPUTE_PER_RANK),
                        "%" PRIu64
                        " layers of a rank are not a whole number for each of its %" PRIu64
                        " virtual stages, which plans do not cover",
                        layers, plan->chunks);
    return layers / plan->chunks;
}

static void read_whole_layers(const struct megatron_args *args, struct rk_plan *plan)
{
    const bool block = IS(RECOMPUTE_METHOD, "block");
    if (block && HAS(RECOMPUTE_NUM_LAYERS) && !COUNT(RECOMPUTE_NUM_LAYERS, 0)) {
        megatron_note(args, NOTE_WARNING, FLAG(RECOMPUTE_GRANULARITY), "full",
                      "recomputes nothing with --recompute-method block and "
                      "--recompute-num-layers 0");
        return;
    }
    plan->recompute = RK_WHOLE;
    if (block)
        plan->recompute_layers = layers_of_chunk(args, plan);
    else
        plan->recompute_every = COUNT(RECOMPUTE_NUM_LAYERS, 1);
    if (plan->recompute_every == 1) plan->recompute_every = 0;
}

void megatron_read_recompute(const struct megatron_args *args, struct rk_plan *plan)
{
    plan->checkpoint_sharded = HAS(DISTRIBUTE_SAVED);
    if (read_old_recompute(args, plan)) return;
    if (HAS(RECOMPUTE_ACTIVATIONS) || IS(RECOMPUTE_GRANULARITY, "selective"))
        read_parts(args, plan);
    else if (IS(RECOMPUTE_GRANULARITY, "full"))
        read_whole_layers(args, plan);
    if ((HAS(RECOMPUTE_ACTIVATION) || HAS(RECOMPUTE_NORM)) && plan->recompute != RK_WHOLE) {
        plan->recompute = RK_SELECTIVE;
        plan->recompute_parts |= HAS(RECOMPUTE_ACTIVATION) ? 1u << RK_PART_ACTIVATION : 0;
        plan->recompute_parts |= HAS(RECOMPUTE_NORM) ? 1u << RK_PART_NORM : 0;
    }
    if (HAS(MOE_LAYER_RECOMPUTE) && plan->recompute != RK_WHOLE) {
        plan->recompute = RK_SELECTIVE;
        plan->recompute_parts |= 1u << RK_PART_EXPERTS;
    }
}

/* ---- offload ---- */

/* Values of one token that a layer keeps, by what --offload-modules calls them; in bytes of 16-bit
 * numbers, as far as shares of them need it. */
static double offload_share(const struct megatron_args *args, const struct rk_model *m)
{
    const double h = (double)m->hidden, heads = (double)m->heads;
    const double kv = (double)(m->kv_heads ? m->kv_heads : m->heads);
    const double d = (double)(m->head_dim + m->rope_dim);
    const double v = (double)(m->value_dim ? m->value_dim : m->head_dim);
    const double top = m->experts ? (double)m->active_experts : 1;
    const double wide = (double)(m->experts ? m->expert_feedforward : m->feedforward);
    const struct {
        const char *name;
        double values;
    } kept[] = {
        {"attn_norm", h},
        {"qkv_linear", h},
        {"core_attn", (heads + kv) * d + kv * v},
        {"attn_proj", heads * v},
        {"mlp_norm", h},
        {"expert_fc1", top * h},
        {"moe_act", top * wide * (m->gated_mlp ? 2 : 1)},
        {"", top * wide}, /* into the last matrix, which no module names */
    };
    double all = 0, moved = 0;
    for (size_t i = 0; i < sizeof kept / sizeof *kept; i++) {
        const bool experts = strncmp(kept[i].name, "expert", 6) == 0 || kept[i].name[0] == 'm';
        all += kept[i].values;
        if (!m->experts && experts && strcmp(kept[i].name, "mlp_norm") != 0) continue;
        if (*kept[i].name && megatron_lists(args, FLAG(OFFLOAD_MODULES), kept[i].name))
            moved += kept[i].values;
    }
    return moved / all;
}

void megatron_read_offload(const struct megatron_args *args, const struct rk_model *model,
                           struct rk_plan *plan)
{
    char text[32];
    if (HAS(OPT_OFFLOAD)) {
        const double share = megatron_number(args, FLAG(OPT_OFFLOAD_FRACTION), 1);
        plan->share[RK_SHARE_OPTIMIZER][0] = fmin(fmax(share, 0), 1);
    }
    if (HAS(CPU_OPTIMIZER) || HAS(SWAP_OPTIMIZER) || IS(OPTIMIZER, "cpu-adam"))
        plan->share[RK_SHARE_OPTIMIZER][0] = 1;
    if (IS(OPTIMIZER, "hybridadam")) /* of Pai-Megatron-Patch */
        plan->share[RK_SHARE_OPTIMIZER][0] =
            fmin(fmax(megatron_number(args, FLAG(OPT_OFFLOAD_FRACTION), 0.5), 0), 1);
    if (HAS(CHECKPOINT_IN_CPU) && HAS(DS_CHECKPOINTING) && plan->recompute == RK_WHOLE) {
        rk_plan_offload_activations(plan, 1);
        return;
    }
    double share = (double)COUNT(CPU_OFFLOAD_LAYERS, 0) / (double)model->layers;
    if (HAS(FINE_OFFLOAD)) {
        share = offload_share(args, model);
        snprintf(text, sizeof text, "%.3g", share);
        megatron_note(
            args, NOTE_WARNING, FLAG(FINE_OFFLOAD), text,
            "the share of a layer's activations that the modules in --offload-modules hold");
    }
    rk_plan_offload_activations(plan, fmin(share, 1));
}
