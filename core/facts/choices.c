#include "facts/choices.h"

#include "base/limits.h"
#include "catalog/model_fields.h"
#include "catalog/plan_fields.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

struct names {
    char (*name)[CHOICE_TEXT]; /* (MOST_CHOICES) */
    int count;
};

static void add(struct names *names, const char *format, ...) RK_PRINTF(2, 3);

static void add(struct names *names, const char *format, ...)
{
    va_list values;
    RK_REQUIRE(names->count < MOST_CHOICES);
    va_start(values, format);
    vsnprintf(names->name[names->count++], CHOICE_TEXT, format, values);
    va_end(values);
}

/* Why the member of that key does nothing in this plan, whatever it is there; NULL: it does. */
static const char *choice_idle(const char *key, const struct rk_model *m, const struct rk_plan *p)
{
    const struct {
        const char *key;
        bool counts;
        const char *because;
    } conditions[] = {
        {"schedule", p->pipeline > 1 || p->schedule == RK_GPIPE, "the pipeline has one stage"},
        {"context_kind", p->context > 1, "context parallelism is 1"},
        {"ulysses", p->context > 1, "context parallelism is 1"},
        {"sequence_parallel", p->tensor > 1, "tensor parallelism is 1"},
        {"tensor_overlap", p->tensor > 1, "tensor parallelism is 1"},
        {"messages_sharded", p->tensor > 1 && p->pipeline > 1,
         "no tensor ranks send to another stage"},
        {"dispatcher", m->experts && (p->expert > 1 || rk_plan_expert_tensor(p) > 1),
         "no experts are on other ranks"},
        {"capacity_factor", m->experts > 0, "the model has no experts"},
        {"imbalance", m->experts > 0, "the model has no experts"},
        {"natural_load", m->experts > 0, "the model has no experts"},
        {"gathered_copies", m->experts > 0, "the model has no experts"},
        {"compiled_rows", m->experts > 0, "the model has no experts"},
        {"recompute_parts", p->recompute == RK_SELECTIVE, "recomputation is not selective"},
        {"recompute_layers", p->recompute == RK_WHOLE, "whole layers are not recomputed"},
    };
    const struct rk_layout *layout = rk_plan_layout(p);
    if (layout->parts || layout->others) return NULL; /* stages have degrees of their own */
    for (size_t i = 0; i < sizeof conditions / sizeof *conditions; i++)
        if (strcmp(key, conditions[i].key) == 0)
            return conditions[i].counts ? NULL : conditions[i].because;
    return NULL;
}

/* Without those that say nothing of how a step runs. */
static bool means(const char *key, const struct rk_model *m, const struct rk_plan *p)
{
    const bool counted = strcmp(key, "count_embeddings") == 0; /* how FLOP are counted */
    return !counted && !choice_idle(key, m, p);
}

const char *rk_plan_idle_word(const struct rk_model *model, const struct rk_plan *plan, int *next,
                              const char **because)
{
    const struct plan_draft usual = plan_draft();
    const struct plan_draft draft = {.plan = *plan};
    for (; plan_fields[*next].key; ++*next) {
        const struct field *field = &plan_fields[*next];
        *because = field->word ? choice_idle(field->key, model, plan) : NULL;
        if (!*because || field_value(field, &draft) == field_value(field, &usual)) continue;
        ++*next;
        return field->word;
    }
    return NULL;
}

static void add_shares(struct names *names, const struct field *field,
                       const struct plan_draft *draft)
{
    double share[FIELD_COLUMNS];
    const int count = field_shares(field, draft, share);
    for (int i = 0; i < count; i++) {
        const int above = (int)share[i] - (share[i] == (int)share[i]); /* 0.5 and 1: none */
        if (above)
            add(names, "%s to memory tier %d", field->word, above + 1);
        else
            add(names, "%s", field->word);
    }
}

/* A list of the virtual stages is there or not; what it says is not told apart. */
static bool has_list(const struct field *field, const struct rk_plan *plan)
{
    const struct rk_layout *layout = rk_plan_layout(plan);
    return strcmp(field->key, "stages") == 0 ? layout->segments > 0
                                             : layout->splits > 0 && !layout->segments;
}

static void add_member(struct names *names, const struct field *field,
                       const struct plan_draft *draft, const struct plan_draft *usual)
{
    if (field->type == FIELD_SHARE) {
        add_shares(names, field, draft);
        return;
    }
    if (field->type == FIELD_OTHER) {
        if (has_list(field, &draft->plan)) add(names, "%s", field->word);
        return;
    }
    const double value = field_value(field, draft);
    if (value == field_value(field, usual)) return;
    if (field->type == FIELD_CHOICE)
        add(names, "%s %s", field->word, field->choices[(int)value]);
    else if (field->type == FIELD_SET) {
        for (int i = 0; field->choices[i]; i++)
            if ((unsigned)value >> i & 1) add(names, "%s %s", field->word, field->choices[i]);
    } else if (field->type == FIELD_TIER)
        add(names, "%s %.0f", field->word, value);
    else
        add(names, "%s%s", field->type == FIELD_BOOL && value == 0 ? "no-" : "", field->word);
}

/* A count is there or not: how large it may be is no choice. A number (MODEL_NUMBER) costs nothing.
 */
static void add_property(struct names *names, const struct field *field, const struct rk_model *m)
{
    const bool optional = field->need == FIELD_OPTIONAL && field_size(field) > 0;
    if (field->type == FIELD_NUMBER || !optional || !model_field_given(m, field)) return;
    const double value = field_value(field, m);
    if (field->type == FIELD_CHOICE)
        add(names, "model %s %s", field->key, field->choices[(int)value]);
    else
        add(names, "model %s%s", value > 0 ? "" : "no-", field->key);
}

int choices_of(const struct rk_model *model, const struct rk_plan *plan, const char *generation,
               char list[MOST_CHOICES][CHOICE_TEXT])
{
    const struct plan_draft usual = plan_draft();
    const struct plan_draft draft = {.plan = *plan};
    struct names names = {.name = list};
    for (const struct field *field = plan_fields; field->key; field++)
        if (field->word && means(field->key, model, plan))
            add_member(&names, field, &draft, &usual);
    for (const struct field *field = model_fields; field->key; field++)
        if (means(field->key, model, plan)) add_property(&names, field, model);
    add(&names, "generation %s", generation);
    return names.count;
}
