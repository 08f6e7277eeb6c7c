/* plan.c - the plan of a row: cells into the members of struct rk_plan, by one table. */
#include "facts/fact.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

/* ---- the table of cells ---- */

enum member_type { MEMBER_COUNT, MEMBER_INT, MEMBER_BOOL, MEMBER_NUMBER, MEMBER_CHOICE };

static const char *framework(int i)
{
    return rk_framework_name((enum rk_framework)i);
}
static const char *precision(int i)
{
    return rk_precision_name((enum rk_precision)i);
}
static const char *schedule(int i)
{
    return rk_schedule_name((enum rk_schedule)i);
}
static const char *recompute(int i)
{
    return rk_recompute_mode_name((enum rk_recompute_mode)i);
}
static const char *context(int i)
{
    return rk_context_kind_name((enum rk_context_kind)i);
}
static const char *attention(int i)
{
    return rk_attention_kernel_name((enum rk_attention_kernel)i);
}
static const char *dispatcher(int i)
{
    return rk_dispatcher_name((enum rk_dispatcher)i);
}

#define AT(member) offsetof(struct rk_plan, member)

/* clang-format off */
static const struct member {
    const char *column;
    enum member_type type;
    size_t offset;
    const char *(*name)(int); /* MEMBER_CHOICE */
} members[] = {
    {"framework",            MEMBER_CHOICE, AT(framework), framework},
    {"precision",            MEMBER_CHOICE, AT(precision), precision},
    {"gpus",                 MEMBER_COUNT,  AT(ranks), NULL},
    {"tp",                   MEMBER_COUNT,  AT(tensor), NULL},
    {"cp",                   MEMBER_COUNT,  AT(context), NULL},
    {"pp",                   MEMBER_COUNT,  AT(pipeline), NULL},
    {"ep",                   MEMBER_COUNT,  AT(expert), NULL},
    {"etp",                  MEMBER_COUNT,  AT(expert_tensor), NULL},
    {"pipeline_inside",      MEMBER_BOOL,   AT(pipeline_inside), NULL},
    {"global_batch",         MEMBER_COUNT,  AT(batch), NULL},
    {"micro_batch",          MEMBER_COUNT,  AT(microbatch), NULL},
    {"seq",                  MEMBER_COUNT,  AT(sequence), NULL},
    {"schedule",             MEMBER_CHOICE, AT(schedule), schedule},
    {"vpp",                  MEMBER_COUNT,  AT(chunks), NULL},
    {"first_layers",         MEMBER_COUNT,  AT(first_layers), NULL},
    {"last_layers",          MEMBER_COUNT,  AT(last_layers), NULL},
    {"embedding_counts",     MEMBER_BOOL,   AT(embedding_counts), NULL},
    {"head_counts",          MEMBER_BOOL,   AT(head_counts), NULL},
    {"messages_sharded", MEMBER_BOOL, AT(messages_sharded), NULL},
    {"pipeline_blocking",    MEMBER_BOOL,   AT(pipeline_blocking), NULL},
    {"sp",                   MEMBER_BOOL,   AT(sequence_parallel), NULL},
    {"tensor_overlap",       MEMBER_BOOL,   AT(tensor_overlap), NULL},
    {"context_kind",         MEMBER_CHOICE, AT(context_kind), context},
    {"ulysses",              MEMBER_COUNT,  AT(ulysses), NULL},
    {"zero",                 MEMBER_INT,    AT(zero), NULL},
    {"shard_ranks",          MEMBER_COUNT,  AT(shard_ranks), NULL},
    {"gradient_overlap",     MEMBER_BOOL,   AT(gradient_overlap), NULL},
    {"weight_overlap",       MEMBER_BOOL,   AT(weight_overlap), NULL},
    {"keep_gathered",        MEMBER_BOOL,   AT(keep_gathered), NULL},
    {"dispatcher",           MEMBER_CHOICE, AT(dispatcher), dispatcher},
    {"capacity_factor",      MEMBER_NUMBER, AT(capacity_factor), NULL},
    {"capacity_padded",      MEMBER_BOOL,   AT(capacity_padded), NULL},
    {"imbalance",            MEMBER_NUMBER, AT(imbalance), NULL},
    {"expert_overlap",       MEMBER_BOOL,   AT(expert_overlap), NULL},
    {"grouped",              MEMBER_BOOL,   AT(grouped), NULL},
    {"recompute",            MEMBER_CHOICE, AT(recompute), recompute},
    {"recompute_layers",     MEMBER_COUNT,  AT(recompute_layers), NULL},
    {"recompute_every",      MEMBER_COUNT,  AT(recompute_every), NULL},
    {"checkpoint_sharded",   MEMBER_BOOL,   AT(checkpoint_sharded), NULL},
    {"attention",            MEMBER_CHOICE, AT(attention), attention},
    {"full_attention",       MEMBER_BOOL,   AT(full_attention), NULL},
    {"fused",                MEMBER_BOOL,   AT(fused), NULL},
    {"whole_gradients",      MEMBER_BOOL,   AT(whole_gradients), NULL},
    {"gradient_fusion",      MEMBER_BOOL,   AT(gradient_fusion), NULL},
    {"whole_logits",         MEMBER_BOOL,   AT(whole_logits), NULL},
    {"transformer_engine",   MEMBER_BOOL,   AT(transformer_engine), NULL},
    {"cuda_graphs",          MEMBER_BOOL,   AT(cuda_graphs), NULL},
    {"weight_element_bytes",   MEMBER_NUMBER, AT(weight_element_bytes), NULL},
    {"gradient_element_bytes", MEMBER_NUMBER, AT(gradient_element_bytes), NULL},
    {"master_element_bytes",   MEMBER_NUMBER, AT(master_element_bytes), NULL},
    {"moment1_element_bytes",  MEMBER_NUMBER, AT(moment1_element_bytes), NULL},
    {"moment2_element_bytes",  MEMBER_NUMBER, AT(moment2_element_bytes), NULL},
    {"weights_fp8",          MEMBER_BOOL,   AT(weights_fp8), NULL},
    {"activation_offload",   MEMBER_NUMBER, AT(activation_offload), NULL},
    {"optimizer_offload",    MEMBER_NUMBER, AT(optimizer_offload), NULL},
    {"weight_offload",       MEMBER_NUMBER, AT(weight_offload), NULL},
    {"vocabulary_multiple",  MEMBER_COUNT,  AT(vocabulary_multiple), NULL},
};

/* Cells that may be "?": open. */
static const struct {
    const char *column;
    enum open_axis axis;
} open_columns[] = {
    {"tp",          OPEN_TENSOR},
    {"pp",          OPEN_PIPELINE},
    {"vpp",         OPEN_CHUNKS},
    {"micro_batch", OPEN_MICROBATCH},
    {"recompute",   OPEN_RECOMPUTE},
    {"sp",          OPEN_SEQUENCE_PARALLEL},
};
/* clang-format on */

static bool is_open(const char *column, struct fact *fact)
{
    for (size_t i = 0; i < sizeof open_columns / sizeof *open_columns; i++) {
        if (strcmp(open_columns[i].column, column) != 0) continue;
        fact->open |= 1u << open_columns[i].axis;
        return true;
    }
    return false;
}

static bool read_choice(const struct member *m, const char *text, struct fact *fact)
{
    for (int i = 0; m->name(i); i++)
        if (strcmp(m->name(i), text) == 0) {
            *(int *)((char *)&fact->plan + m->offset) = i;
            return true;
        }
    return fact_fail(fact, "%s: \"%.80s\" is not known", m->column, text);
}

static bool read_bool(const struct member *m, const char *text, struct fact *fact)
{
    const bool yes = strcmp(text, "1") == 0 || strcmp(text, "yes") == 0;
    if (!yes && strcmp(text, "0") != 0 && strcmp(text, "no") != 0)
        return fact_fail(fact, "%s: \"%.80s\" is neither 0 nor 1", m->column, text);
    *(bool *)((char *)&fact->plan + m->offset) = yes;
    return true;
}

static bool read_member(const struct row *row, const struct member *m, struct fact *fact)
{
    const char *text = row_get(row, m->column);
    char *at = (char *)&fact->plan + m->offset;
    uint64_t count = 0;
    if (!text[0]) return true;
    if (strcmp(text, "?") == 0 && is_open(m->column, fact)) return true;
    switch (m->type) {
    case MEMBER_COUNT:
        return fact_count(row, m->column, fact, (uint64_t *)at);
    case MEMBER_INT:
        if (!fact_count(row, m->column, fact, &count)) return false;
        *(int *)at = (int)count;
        return true;
    case MEMBER_BOOL:
        return read_bool(m, text, fact);
    case MEMBER_NUMBER:
        return fact_number(row, m->column, fact, (double *)at);
    case MEMBER_CHOICE:
        return read_choice(m, text, fact);
    }
    return true;
}

/* ---- what one cell does not say alone ---- */

/* "core_attn mlp": parts by name, with blanks or commas between. */
static bool read_parts(const struct row *row, struct fact *fact)
{
    const char *text = row_get(row, "recompute_parts");
    while (*text) {
        const size_t length = strcspn(text, " ,");
        int part = 0;
        while (part < RK_PARTS && length &&
               (strlen(rk_part_name((enum rk_part)part)) != length ||
                memcmp(rk_part_name((enum rk_part)part), text, length)))
            part++;
        if (part == RK_PARTS)
            return fact_fail(fact, "recompute_parts: \"%.60s\" is no part of a layer", text);
        if (length) fact->plan.recompute_parts |= 1u << part;
        text += length + (text[length] != 0);
    }
    return true;
}

/* "16, 18": blocks of each virtual stage. With split_ends the first and the last count embedding
 * and head as one each. */
static bool read_split(const struct row *row, struct fact *fact)
{
    const char *text = row_get(row, "split");
    struct rk_plan *plan = &fact->plan;
    while (*text) {
        char *end;
        const long blocks = strtol(text, &end, 10);
        if (end == text || blocks < 0 || blocks > 65535 || plan->splits == RK_MAX_CHUNKS)
            return fact_fail(fact, "split: \"%.60s\" is no list of layers", row_get(row, "split"));
        plan->split[plan->splits++] = (uint16_t)blocks;
        text = end + strspn(end, ", ");
    }
    if (plan->splits && strcmp(row_get(row, "split_ends"), "1") == 0) {
        plan->split[0]--;
        plan->split[plan->splits - 1]--;
    }
    return true;
}

/* GPUs and batch from the others, where the source leaves them out. */
static bool derive(const struct row *row, struct fact *fact)
{
    struct rk_plan *plan = &fact->plan;
    uint64_t data = 0, accumulation = 0;
    if (!fact_count(row, "dp", fact, &data)) return false;
    if (!fact_count(row, "grad_accum", fact, &accumulation)) return false;
    if (!row_get(row, "gpus")[0]) {
        if (!data || fact->open & (1u << OPEN_TENSOR | 1u << OPEN_PIPELINE))
            return fact_fail(fact, "the row gives neither GPUs nor the degrees that make them");
        plan->ranks = plan->tensor * plan->context * plan->pipeline * data;
    }
    if (!row_get(row, "global_batch")[0]) {
        const uint64_t ranks = rk_plan_data(plan);
        if (!accumulation || !ranks || fact->open & 1u << OPEN_MICROBATCH)
            return fact_fail(fact, "the row gives no batch, nor what it follows from");
        plan->batch = plan->microbatch * accumulation * ranks;
    }
    return true;
}

/* Stages that the layers do not fill evenly, and with embedding and head would: they count. */
static void count_ends(struct fact *fact)
{
    struct rk_plan *plan = &fact->plan;
    const uint64_t stages = plan->pipeline * plan->chunks, layers = fact->model.layers;
    if (plan->splits || plan->first_layers || plan->last_layers || stages <= 1) return;
    if (layers % stages && (layers + 2) % stages == 0)
        plan->embedding_counts = plan->head_counts = true;
}

bool fact_plan(const struct row *row, struct fact *fact)
{
    fact->plan = rk_plan_default();
    for (size_t i = 0; i < sizeof members / sizeof *members; i++)
        if (!read_member(row, &members[i], fact)) return false;
    if (!read_parts(row, fact) || !read_split(row, fact) || !derive(row, fact)) return false;
    struct rk_plan *plan = &fact->plan;
    if (!plan->sequence) plan->sequence = fact->model.sequence;
    count_ends(fact);
    if (plan->ranks == 0 || plan->batch == 0 || plan->microbatch == 0 || plan->tensor == 0 ||
        plan->pipeline == 0 || plan->context == 0)
        return fact_fail(fact, "a degree or the batch is 0");
    fact->lone_batch = (double)plan->batch;
    return true;
}
