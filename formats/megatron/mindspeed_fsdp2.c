/* mindspeed_fsdp2.c - the training files of MindSpeed-LLM's FSDP2 backend (train_fsdp2.py); the
 * model is the caller's.
 *
 * Keys, defaults and checks: MindSpeed-LLM's mindspeed_llm/fsdp2/utils/arguments.py,
 * distributed/parallel_state.py (all ranks share one copy, no tensor ranks),
 * models/model_factory.py. */
#include "keys/key_rows.h"
#include "keys/reader.h"
#include "plan/members.h"

#include <inttypes.h>
#include <string.h>

enum context_type { TYPE_ULYSSES, TYPE_RING, TYPE_GATHER };

/* What the file says; presets are the tool's. */
struct job {
    uint64_t shard, tensor, expert, expert_shard, context, microbatch, accumulation, sequence;
    uint64_t loss_chunk;
    int type, reshard, precision;
    bool recompute, norms, grouped;
    const char *quantized;
};

#define AT(member) offsetof(struct job, member)

/* clang-format off */
static const struct key rows[] = {
#include "tables/mindspeed-fsdp2-plan.h"
#include "tables/mindspeed-fsdp2.h"
};
/* clang-format on */

const struct key_table mindspeed_fsdp2_keys = KEY_TABLE(rows);

enum { MOST = 1000000000 };

struct reading {
    const struct config_source *source;
    struct settings settings;
    struct job j;
    struct rk_error *error;
};

static enum rk_status read_ranks(const struct reading *r, struct rk_plan *p)
{
    const struct job *j = &r->j;
    const uint64_t gpus = r->source->gpus ? r->source->gpus : j->shard;
    if (!j->shard || !j->context || !j->expert || !j->expert_shard || !j->tensor)
        return rk_fail(r->error, RK_BAD_INPUT, r->settings.path, 0, 0,
                       "degrees must be at least 1");
    if (j->tensor > 1)
        return settings_fail_key(&r->settings, "parallel.tp_size", r->error,
                                 "tensor ranks do not start with FSDP here");
    if (gpus != j->shard)
        return settings_fail_key(&r->settings, "parallel.fsdp_size", r->error,
                                 "must be all %" PRIu64 " GPUs, as MindSpeed-LLM has it", gpus);
    if (gpus % j->context)
        return settings_fail_key(&r->settings, "parallel.cp_size", r->error,
                                 "does not divide the %" PRIu64 " GPUs", gpus);
    if (j->expert > 1 && j->expert * j->expert_shard != gpus)
        return settings_fail_key(&r->settings, "parallel.ep_fsdp_size", r->error,
                                 "times ep_size is %" PRIu64 ", not the %" PRIu64
                                 " GPUs: copies of experts are not covered",
                                 j->expert * j->expert_shard, gpus);
    p->ranks = gpus;
    p->context = j->context;
    p->expert = j->expert;
    p->expert_tensor = j->expert > 1;
    if (j->context > 1)
        p->context_kind = j->type == TYPE_RING     ? RK_RING
                          : j->type == TYPE_GATHER ? RK_GATHER
                                                   : RK_ULYSSES;
    return RK_OK;
}

static enum rk_status read_batch(const struct reading *r, const struct rk_model *m,
                                 struct rk_plan *p)
{
    const struct job *j = &r->j;
    if (!j->microbatch || !j->accumulation || !j->sequence)
        return rk_fail(r->error, RK_BAD_INPUT, r->settings.path, 0, 0,
                       "batch size, accumulation and cutoff_len must be at least 1");
    if (j->microbatch > MOST || j->accumulation > MOST || j->sequence > MOST ||
        j->microbatch * j->accumulation > MOST)
        return rk_fail(r->error, RK_BAD_INPUT, r->settings.path, 0, 0,
                       "batch size by accumulation, and cutoff_len, must be at most %d", MOST);
    p->microbatch = j->microbatch;
    p->batch = j->microbatch * j->accumulation * (p->ranks / p->context);
    p->sequence = j->sequence == m->sequence ? 0 : j->sequence;
    return RK_OK;
}

/* Whole layers, or not. */
static enum rk_status read_recompute(const struct reading *r, struct rk_plan *p)
{
    static const char *const key = "parallel.recompute_modules.";
    if (!r->j.recompute) return RK_OK;
    p->recompute = RK_WHOLE;
    for (size_t i = 0; i < r->settings.count; i++) {
        const struct setting *s = &r->settings.setting[i];
        if (strncmp(s->key, key, strlen(key)) == 0 && strcmp(s->text, "model.layers.{*}") != 0)
            return settings_fail(&r->settings, s, r->error,
                                 "%.80s is recomputed: only whole layers are covered", s->text);
    }
    return RK_OK;
}

static enum rk_status interpret(struct reading *r, const struct rk_model *m, struct rk_plan *p)
{
    static const enum rk_precision precisions[] = {RK_BF16, RK_FP16, RK_FP32};
    const struct job *j = &r->j;
    *p = plan_of_framework(RK_FSDP);
    enum rk_status status = read_ranks(r, p);
    if (status == RK_OK) status = read_batch(r, m, p);
    if (status == RK_OK) status = read_recompute(r, p);
    p->precision = j->quantized ? RK_MXFP8 : precisions[j->precision];
    p->zero = p->ranks > 1 ? 3 : 0;
    p->gradient_overlap = true;
    p->weight_overlap = p->zero == 3;
    p->keep_gathered = p->zero == 3 && j->reshard;
    p->fused = j->norms;
    p->grouped = j->grouped || !m->experts;
    p->loss_in_chunks = j->loss_chunk > 0;
    return status;
}

enum rk_status mindspeed_fsdp2_read(const struct config_source *source, struct rk_model *model,
                                    struct rk_plan *plan, struct notes *notes,
                                    struct rk_error *error)
{
    struct reading r = {.source = source, .error = error};
    enum rk_status status = settings_read(&r.settings, source->path, source->text, source->sets,
                                          source->set_count, error);
    if (status == RK_OK)
        status = keys_read(&r.settings, &mindspeed_fsdp2_keys, &source->keys, &r.j, notes, error);
    if (status == RK_OK && !settings_find(&r.settings, "data.cutoff_len"))
        notes_add(notes, NOTE_ASSUMED, 0, 0, "data.cutoff_len", "2048", "MindSpeed-LLM's default");
    if (status == RK_OK && !settings_find(&r.settings, "training.per_device_train_batch_size"))
        notes_add(notes, NOTE_ASSUMED, 0, 0, "per_device_train_batch_size", "8",
                  "MindSpeed-LLM's default");
    const struct setting *id = settings_find(&r.settings, "model.model_id");
    if (status == RK_OK && id)
        notes_add(notes, NOTE_ASSUMED, id->line, id->column, id->key, id->text,
                  "is taken to be --model %s", model->id);
    if (status == RK_OK && !settings_find(&r.settings, "parallel.fsdp_size") && source->gpus > 1)
        r.j.shard = source->gpus;
    if (status == RK_OK) status = interpret(&r, model, plan);
    settings_release(&r.settings);
    return status;
}
