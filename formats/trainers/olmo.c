/* olmo.c - training configurations of OLMo (YAML): the model by its sizes, torch's FSDP or DDP, the
 * batch. Its successor OLMo-core has programs instead.
 *
 * Keys and presets: olmo/config.py of OLMo 0.6 (ModelConfig, TrainConfig, FSDPConfig), and of its
 * branch that trained OLMoE (mixtures by MegaBlocks; an expert is as wide as a dense MLP would be).
 */
#include "keys/key_rows.h"
#include "keys/model_numbers.h"
#include "keys/reader.h"
#include "plan/members.h"

#include <inttypes.h>

enum norm { NORM_DEFAULT, NORM_LOW, NORM_RMS };
enum activation { GELU, RELU, SWIGLU };
enum strategy { FULL_SHARD, SHARD_GRAD_OP, HYBRID_SHARD, HYBRID_SHARD_2, NO_SHARD };
enum spread { FSDP, DDP, SINGLE };
enum precision { AMP_BF16, AMP_FP16, FP32 };
enum { ONE_OF_ALL, WHOLE_LAYER, ONE_IN_TWO, ONE_IN_THREE, ONE_IN_FOUR }; /* recomputed layers */
enum optimizer { ADAMW, LIONW };
enum block { SEQUENTIAL, LLAMA, MIXTURE };

struct job {
    uint64_t hidden, heads, kv_heads, layers, ratio, mlp, sequence, vocabulary, embeddings;
    uint64_t batch, microbatch, copies, experts, active;
    double attention_dropout, residual_dropout, embedding_dropout;
    int activation, norm, strategy, spread, precision, optimizer, recompute;
    bool alibi, rope, one_kv, qk_norm, affine, biases, norm_biases, tied, dropless, shared;
    int block;
};

#define AT(member) offsetof(struct job, member)

/* clang-format off */
static const struct key rows[] = {
#include "tables/olmo-plan.h"
#include "tables/olmo.h"
};
/* clang-format on */

const struct key_table olmo_keys = KEY_TABLE(rows);

enum { MOST = 1000000000 };

struct reading {
    struct job j;
    READING_MEMBERS;
};

/* ---- the model ---- */

static enum rk_norm norm_of(const struct job *j, bool biased)
{
    if (j->norm == NORM_RMS) return RK_RMS_NORM;
    if (!j->affine) return RK_LAYER_NORM_PLAIN;
    return biased ? RK_LAYER_NORM : RK_LAYER_NORM_UNBIASED;
}

static void set_model(const struct reading *r)
{
    const struct job *j = &r->j;
    struct rk_model *m = r->m;
    const bool said = settings_find(&r->settings, "model.bias_for_layer_norm") != NULL;
    const uint64_t mlp = j->mlp ? j->mlp : j->ratio * j->hidden;
    *m = (struct rk_model){.layers = j->layers,
                           .hidden = j->hidden,
                           .feedforward = j->activation == SWIGLU ? mlp / 2 : mlp,
                           .heads = j->heads,
                           .head_dim = j->hidden / j->heads,
                           .sequence = j->sequence,
                           .vocabulary = j->embeddings ? j->embeddings : j->vocabulary};
    m->kv_heads = j->one_kv ? 1 : j->kv_heads == j->heads ? 0 : j->kv_heads;
    m->position = j->alibi ? RK_POSITION_ALIBI : j->rope ? RK_POSITION_ROPE : RK_POSITION_LEARNED;
    m->norm = norm_of(j, said ? j->norm_biases : j->biases);
    m->gated_mlp = j->activation == SWIGLU;
    m->activation = j->activation == SWIGLU ? RK_SILU : j->activation == RELU ? RK_RELU : RK_GELU;
    if (j->block == MIXTURE) {
        m->experts = j->experts;
        m->active_experts = j->active;
        m->shared_experts = j->shared;
        m->expert_feedforward = m->feedforward;
    }
    m->tied_embeddings = j->tied;
    m->biases = j->biases;
    m->qk_norm = m->qk_norm_wide = j->qk_norm;
    m->no_dropout =
        j->attention_dropout == 0 && j->residual_dropout == 0 && j->embedding_dropout == 0;
    m->flash_attention = m->causal_skip = m->count_embeddings = true;
}

static enum rk_status read_model(struct reading *r)
{
    const struct job *j = &r->j;
    if (!j->heads || j->heads > MOST || j->hidden % j->heads ||
        (j->kv_heads && j->heads % j->kv_heads))
        return settings_fail_key(&r->settings, "model.n_heads", r->error,
                                 "must divide d_model, and n_kv_heads the heads");
    if (j->ratio > MOST || j->hidden > MOST)
        return settings_fail_key(&r->settings, "model.d_model", r->error, "is too large");
    if (j->block == MIXTURE && !j->dropless)
        return settings_fail_key(&r->settings, "model.moe_dropless", r->error,
                                 "a capacity of experts is not covered: give --set "
                                 "model.moe_dropless=true to estimate the run without");
    set_model(r);
    return model_numbers_check(r->m, r->settings.path, r->error);
}

/* ---- the plan ---- */

static enum rk_status read_ranks(struct reading *r)
{
    const struct job *j = &r->j;
    struct rk_plan *p = r->p;
    static const int zero[] = {3, 2, 3, 2, 0};
    p->ranks = r->source->gpus;
    if (!p->ranks && j->spread == SINGLE) p->ranks = 1;
    if (!p->ranks) p->ranks = notes_machine(r->notes, r->source->machine);
    if (!p->ranks)
        return rk_fail(r->error, RK_BAD_INPUT, r->settings.path, 0, 0,
                       "the file does not say how many GPUs are used: give --gpus N");
    p->zero = j->spread == FSDP && p->ranks > 1 ? zero[j->strategy] : 0;
    p->gradient_overlap = true;
    p->weight_overlap = p->zero == 3;
    const bool hybrid = j->strategy == HYBRID_SHARD || j->strategy == HYBRID_SHARD_2;
    if (hybrid && p->zero) {
        if (!j->copies)
            return settings_fail_key(&r->settings, "fsdp.sharding_strategy", r->error,
                                     "shards within a node: give --set "
                                     "fsdp.hybrid_sharding_num_model_replicas=NODES");
        if (p->ranks % j->copies)
            return settings_fail_key(&r->settings, "fsdp.hybrid_sharding_num_model_replicas",
                                     r->error, "must divide the %" PRIu64 " GPUs", p->ranks);
        p->shard_ranks = p->ranks / j->copies;
    }
    return RK_OK;
}

static enum rk_status read_batch(struct reading *r)
{
    const struct job *j = &r->j;
    struct rk_plan *p = r->p;
    p->batch = j->batch;
    p->microbatch = j->microbatch;
    if (!j->batch || j->batch > MOST || j->batch % p->ranks)
        return settings_fail_key(&r->settings, "global_train_batch_size", r->error,
                                 "must be a multiple of the %" PRIu64 " GPUs: correct it, or give "
                                 "another --gpus",
                                 p->ranks);
    const uint64_t own = j->batch / p->ranks;
    if (p->microbatch > own) p->microbatch = own;
    if (!p->microbatch || own % p->microbatch)
        return settings_fail_key(&r->settings, "device_train_microbatch_size", r->error,
                                 "does not divide the %" PRIu64 " samples of a GPU", own);
    return RK_OK;
}

static void read_choices(struct reading *r)
{
    static const enum rk_precision precisions[] = {RK_BF16, RK_FP16, RK_FP32};
    const struct job *j = &r->j;
    struct rk_plan *p = r->p;
    p->precision = precisions[j->precision];
    p->optimizer = j->optimizer == LIONW ? RK_LION : RK_ADAM;
    p->fused = settings_has(&r->settings, "compile.");
    if (j->recompute) p->recompute = RK_WHOLE;
    if (j->recompute > WHOLE_LAYER) p->recompute_stride = (uint64_t)j->recompute;
}

static enum rk_status interpret(struct reading *r)
{
    enum rk_status status = read_model(r);
    *r->p = plan_of_framework(RK_FSDP);
    read_choices(r);
    if (status == RK_OK) status = read_ranks(r);
    return status == RK_OK ? read_batch(r) : status;
}

enum rk_status olmo_read(const struct config_source *source, struct rk_model *model,
                         struct rk_plan *plan, struct notes *notes, struct rk_error *error)
{
    struct reading r = {.source = source, .m = model, .p = plan, .notes = notes, .error = error};
    enum rk_status status = settings_read(&r.settings, source->path, source->text, source->sets,
                                          source->set_count, error);
    if (status == RK_OK)
        status = keys_read(&r.settings, &olmo_keys, &source->keys, &r.j, notes, error);
    if (status == RK_OK) status = interpret(&r);
    settings_release(&r.settings);
    return status;
}
