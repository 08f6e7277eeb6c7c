#include "catalog/plan_compare.h"

#include "base/number.h"
#include "catalog/plan_stages.h"
#include "plan/habits.h"
#include "plan/layers.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- the canonical form ---- */

static void without_pipeline(struct rk_plan *p)
{
    p->chunks = 1;
    p->schedule = RK_1F1B;
    plan_be_even(p);
    p->first_layers = p->last_layers = 0;
    p->embedding_counts = p->head_counts = false;
    p->pipeline_blocking = p->messages_sharded = false;
}

/* "tdp": the dimensions of an order that have more ranks than one, innermost first. */
static void wide_dimensions(const struct rk_plan *p, enum rk_order order, char text[static 5])
{
    size_t used = 0;
    for (const char *name = rk_order_name(order); *name; name += name[2] ? 3 : 2) {
        const uint64_t ranks = *name == 't'   ? p->tensor
                               : *name == 'c' ? p->context
                               : *name == 'd' ? rk_plan_data(p)
                                              : p->pipeline;
        if (ranks != 1) text[used++] = *name;
    }
    text[used] = '\0';
}

enum rk_order plan_first_order(const struct rk_plan *p)
{
    char own[5], other[5];
    wide_dimensions(p, p->order, own);
    for (int i = 0; i < (int)p->order; i++) {
        wide_dimensions(p, (enum rk_order)i, other);
        if (strcmp(own, other) == 0) return (enum rk_order)i;
    }
    return p->order;
}

static void without_experts(struct rk_plan *p)
{
    const struct rk_plan preset = rk_plan_default();
    p->expert_tensor = 0;
    p->dispatcher = preset.dispatcher;
    p->capacity_factor = 0;
    p->capacity_padded = p->expert_overlap = p->natural_load = false;
    p->gathered_copies = p->compiled_rows = false;
    p->imbalance = preset.imbalance;
    p->grouped = preset.grouped;
}

static void without_shards(struct rk_plan *p)
{
    p->shard_ranks = 0;
    p->weight_overlap = p->keep_gathered = false;
}

static bool same_split(const struct rk_model *model, const struct rk_plan *a,
                       const struct rk_plan *b)
{
    for (uint64_t i = 0; i < a->pipeline * a->chunks; i++)
        if (rk_plan_split(a, model, i) != rk_plan_split(b, model, i)) return false;
    return true;
}

/* A split that says no more than the even one, with embedding and head counted as blocks or not. */
static void even_split(const struct rk_model *model, struct rk_plan *p)
{
    struct rk_plan even = *p;
    plan_be_even(&even);
    even.first_layers = even.last_layers = 0;
    even.embedding_counts = even.head_counts = false;
    const uint64_t stages = p->pipeline * p->chunks;
    if (stages > RK_MAX_CHUNKS || stages > model->layers) return;
    const int splits = rk_plan_layout(p)->splits;
    if (splits && (uint64_t)splits != stages) return;
    for (int ends = 0; ends < 4; ends++) {
        even.embedding_counts = ends & 1;
        even.head_counts = ends & 2;
        if (!same_split(model, &even, p)) continue;
        *p = even;
        return;
    }
}

/* Of the plan and of all runs of its layers. */
static void sequence(const struct rk_model *model, struct rk_plan *p)
{
    if (p->sequence == model->sequence) p->sequence = 0;
    if (!rk_plan_layout(p)->others) return;
    struct rk_layout layout = *p->layout;
    for (int i = 0; i < layout.others; i++)
        if (layout.other[i].sequence == model->sequence) layout.other[i].sequence = 0;
    p->layout = rk_layout_keep(&layout);
}

static void recomputation(struct rk_plan *p)
{
    if (p->recompute == RK_KEEP) p->recompute_layers = p->recompute_stride = 0;
    if (p->recompute_stride == 1) p->recompute_stride = 0;
    if (p->recompute != RK_SELECTIVE) p->recompute_parts = 0;
    if (p->recompute != RK_WHOLE || p->recompute_every == 1) p->recompute_every = 0;
    if (p->recompute != RK_WHOLE || p->tensor == 1) p->checkpoint_sharded = false;
}

static void bytes(struct rk_plan *p)
{
    double *const wide[] = {&p->gradient_element_bytes, &p->moment1_element_bytes,
                            &p->moment2_element_bytes};
    if (!habits_of(p)->wide_state) return;
    if (p->master_element_bytes == 4) p->master_element_bytes = -1;
    for (size_t i = 0; i < sizeof wide / sizeof *wide; i++)
        if (*wide[i] == 4) *wide[i] = 0;
}

struct rk_plan plan_canonical(const struct rk_model *model, const struct rk_plan *plan)
{
    struct rk_plan p = *plan;
    const bool parts = rk_plan_layout(&p)->parts > 0; /* which say how their stages are split */
    const uint64_t data = rk_plan_data(&p) * p.context;
    sequence(model, &p);
    if (p.tensor == 1) p.sequence_parallel = p.messages_sharded = p.regather = false;
    if (p.tensor == 1) p.tensor_overlap = RK_OVERLAP_NONE;
    if (p.expert_tensor == p.tensor) p.expert_tensor = 0;
    if (p.context == 1) p.context_kind = RK_RING;
    if (p.context_kind != RK_RING_ULYSSES) p.ulysses = 0;
    if (p.context == 1 || p.context_kind == RK_ULYSSES) p.context_contiguous = false;
    if (p.pipeline == 1 && !parts) without_pipeline(&p);
    if (!parts) p.order = plan_first_order(&p);
    if (rk_plan_layout(&p)->splits) p.first_layers = p.last_layers = 0;
    if (p.pipeline > 1 && p.chunks && !parts) even_split(model, &p);
    if (!model->experts) without_experts(&p);
    if (p.zero == 0) without_shards(&p);
    if (p.zero < 3) p.keep_gathered = false;
    if (p.shard_ranks >= data && !parts) p.shard_ranks = 0;
    if (!habits_of(&p)->engine) p.transformer_engine = rk_plan_default().transformer_engine;
    recomputation(&p);
    bytes(&p);
    if (p.vocabulary_multiple == 1 && model->vocabulary % p.tensor == 0) p.vocabulary_multiple = 0;
    return p;
}

/* ---- values ---- */

static struct plan_draft as_draft(const struct rk_plan *plan)
{
    return (struct plan_draft){.plan = *plan, .data = rk_plan_data(plan)};
}

static void split_text(const struct rk_plan *plan, char text[static PLAN_VALUE])
{
    const struct rk_layout *layout = rk_plan_layout(plan);
    size_t used = 0;
    snprintf(text, PLAN_VALUE, "even");
    for (int i = 0, run; i < layout->splits && used < PLAN_VALUE; i += run) {
        for (run = 1; i + run < layout->splits && layout->split[i + run] == layout->split[i];)
            run++;
        used += (size_t)snprintf(text + used, PLAN_VALUE - used, run > 1 ? "%s%d*%d" : "%s%d",
                                 i ? "," : "", layout->split[i], run);
    }
}

static void set_text(const struct field *field, unsigned bits, char text[static PLAN_VALUE])
{
    size_t used = 0;
    snprintf(text, PLAN_VALUE, "none");
    for (int i = 0; field->choices[i] && used < PLAN_VALUE; i++)
        if (bits >> i & 1)
            used += (size_t)snprintf(text + used, PLAN_VALUE - used, "%s%s", used ? "+" : "",
                                     field->choices[i]);
}

/* Over several clusters with what the plan says of all stages: "tp2/sp: 8:8@1/dp8,24/dp8". */
static void stages_text(const struct rk_plan *plan, char text[static PLAN_VALUE])
{
    const bool parts = rk_plan_layout(plan)->parts > 0;
    size_t used = parts ? plan_local_text(plan, text, PLAN_VALUE - 2) : 0;
    if (used >= PLAN_VALUE - 2) used = strlen(text); /* cut */
    if (used) memcpy(text + used, ": ", 3);
    if (used) used += 2;
    plan_stages_text(plan, text + used, PLAN_VALUE - used);
}

static void value_text(const struct plan_draft *draft, int row, char text[static PLAN_VALUE])
{
    const struct field *field = &plan_fields[row];
    const double value = field_value(field, draft);
    switch (field->type) {
    case FIELD_BOOL:
        snprintf(text, PLAN_VALUE, "%s", value != 0 ? "yes" : "no");
        break;
    case FIELD_CHOICE:
        snprintf(text, PLAN_VALUE, "%s", field->choices[(int)value]);
        break;
    case FIELD_SET:
        set_text(field, (unsigned)value, text);
        break;
    case FIELD_OTHER:
        if (strcmp(field->key, "split") == 0)
            split_text(&draft->plan, text);
        else
            stages_text(&draft->plan, text);
        break;
    default:
        snprintf(text, PLAN_VALUE, value == floor(value) ? "%.0f" : "%.6g", value);
    }
}

const char *plan_value_text(const struct rk_plan *plan, int row, char text[static PLAN_VALUE])
{
    const struct plan_draft draft = as_draft(plan);
    value_text(&draft, row, text);
    return text;
}

/* ---- comparison ---- */

static bool same_stages(const struct rk_plan *one, const struct rk_plan *other)
{
    const struct rk_layout *a = rk_plan_layout(one), *b = rk_plan_layout(other);
    const bool parts = a->parts || b->parts; /* their choices are those of the first stage */
    if (parts &&
        (memcmp(&one->local, &other->local, sizeof one->local) != 0 || a->splits != b->splits ||
         memcmp(a->split, b->split, (size_t)a->splits * sizeof *a->split) != 0))
        return false;
    return a->round == b->round && a->parts == b->parts && a->segments == b->segments &&
           a->others == b->others &&
           memcmp(a->part, b->part, (size_t)a->parts * sizeof *a->part) == 0 &&
           memcmp(a->segment, b->segment, (size_t)a->segments * sizeof *a->segment) == 0 &&
           memcmp(a->other, b->other, (size_t)a->others * sizeof *a->other) == 0;
}

/* What stages with replicas of their own say: all of a layer, and what follows. */
static bool is_of_parts(const struct field *field)
{
    static const char *const keys[] = {"gpus", "pipeline", "chunks", "split"};
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        if (strcmp(field->key, keys[i]) == 0) return true;
    return plan_is_local(field);
}

static bool same(const struct plan_draft *a, const struct plan_draft *b, const struct field *field)
{
    const bool parts = rk_plan_layout(&a->plan)->parts || rk_plan_layout(&b->plan)->parts;
    if (parts && is_of_parts(field)) return true;
    if (strcmp(field->key, "stages") == 0) return same_stages(&a->plan, &b->plan);
    if (field->type == FIELD_OTHER) {
        const struct rk_layout *x = rk_plan_layout(&a->plan), *y = rk_plan_layout(&b->plan);
        return x->splits == y->splits &&
               memcmp(x->split, y->split, (size_t)x->splits * sizeof *x->split) == 0;
    }
    return field_value(field, a) == field_value(field, b);
}

int plan_compare(const struct rk_plan *a, const struct rk_plan *b,
                 struct plan_difference list[static PLAN_MAX_FIELDS])
{
    const struct plan_draft first = as_draft(a), second = as_draft(b);
    int count = 0;
    for (int row = 0; plan_fields[row].key; row++) {
        const struct field *field = &plan_fields[row];
        if (!field->word || strcmp(field->key, "data") == 0 || same(&first, &second, field))
            continue;
        struct plan_difference *difference = &list[count++];
        difference->row = row;
        value_text(&first, row, difference->a);
        value_text(&second, row, difference->b);
    }
    return count;
}

/* ---- taking one over ---- */

static void take_recompute(struct rk_plan *to, const struct rk_plan *from)
{
    to->recompute = from->recompute;
    to->recompute_parts = from->recompute_parts;
    to->recompute_layers = from->recompute_layers;
    to->recompute_every = from->recompute_every;
    to->recompute_stride = from->recompute_stride;
}

/* How the blocks are split; a split of other stages than the plan's makes no sense. */
static void take_split(struct rk_plan *to, const struct rk_plan *from)
{
    if (rk_plan_layout(from)->parts || rk_plan_layout(to)->parts) {
        to->local = from->local;
        to->ranks = from->ranks;
        to->pipeline = from->pipeline;
        to->chunks = from->chunks;
    }
    to->layout = from->layout;
    to->first_layers = from->first_layers;
    to->last_layers = from->last_layers;
    to->embedding_counts = from->embedding_counts;
    to->head_counts = from->head_counts;
}

/* Every layer alike, on one cluster: where they lie is all that the layout says. */
static bool only_deals(const struct rk_plan *plan)
{
    const struct rk_layout *layout = rk_plan_layout(plan);
    return !layout->parts && !layout->segments;
}

void plan_take_dealing(const struct rk_model *model, struct rk_plan *to, const struct rk_plan *from)
{
    const uint64_t stages = to->pipeline * to->chunks;
    if (to->pipeline != from->pipeline || to->chunks != from->chunks || stages > RK_MAX_CHUNKS ||
        !only_deals(to) || !only_deals(from))
        return;
    for (uint64_t i = 0; i < stages; i++)
        if (rk_plan_split(to, model, i) != rk_plan_split(from, model, i)) return;
    take_split(to, from);
}

/* clang-format off */
static const struct {
    bool of_plan, of_layer;
    const char *key[8];
} families[] = {
    {true,  true,  {"recompute", "recompute_parts", "recompute_layers", "recompute_every", "recompute_stride"}},
    {true,  false, {"split", "stages", "first_layers", "last_layers", "embedding_counts", "head_counts"}},
    {true,  false, {"context_kind", "ulysses"}},
    {false, true,  {"tensor", "context", "context_kind", "ulysses", "context_contiguous", "sequence_parallel", "tensor_overlap"}},
    {false, true,  {"expert", "expert_tensor"}},
};
/* clang-format on */

const char *const *plan_family(const char *key, bool of_layer)
{
    for (int i = 0; i < COUNT_OF(families); i++)
        for (int k = 0; families[i].key[k]; k++)
            if ((of_layer ? families[i].of_layer : families[i].of_plan) &&
                strcmp(families[i].key[k], key) == 0)
                return families[i].key;
    return NULL;
}

static void take_adapters(struct rk_plan *to, const struct rk_plan *from)
{
    to->lora_targets = from->lora_targets;
    to->lora_dropout = from->lora_dropout;
    to->lora_element_bytes = from->lora_element_bytes;
    to->lora_whole = from->lora_whole;
    to->lora_whole_bytes = from->lora_whole_bytes;
    to->dora = from->dora;
}

void plan_take(struct rk_plan *to, const struct rk_plan *from, int row)
{
    const struct field *field = &plan_fields[row];
    struct plan_draft draft = as_draft(to);
    const struct plan_draft source = as_draft(from);
    const char *key = field->key;
    if (strncmp(key, "recompute", 9) == 0) {
        take_recompute(to, from);
        return;
    }
    if (strcmp(key, "split") == 0 || strcmp(key, "stages") == 0 ||
        strcmp(key, "first_layers") == 0 || strcmp(key, "last_layers") == 0 ||
        strcmp(key, "embedding_counts") == 0 || strcmp(key, "head_counts") == 0) {
        take_split(to, from);
        return;
    }
    memcpy((char *)&draft + field->offset, (const char *)&source + field->offset,
           field_size(field));
    if (strcmp(key, "lora") == 0 &&
        !to->lora != !from->lora) /* what is of adapters comes, or goes */
        take_adapters(&draft.plan, from);
    *to = draft.plan;
    if (strcmp(key, "pipeline") == 0 || strcmp(key, "chunks") == 0) {
        if ((uint64_t)rk_plan_layout(to)->splits != to->pipeline * to->chunks) plan_be_even(to);
        if (to->pipeline == 1) to->chunks = 1;
    }
    if (strcmp(key, "context_kind") == 0) to->ulysses = from->ulysses;
}
