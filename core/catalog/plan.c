/* plan.c - the table of a plan's choices, and plan files, reckon-plan(5). */
#include "base/memory.h"
#include "catalog/catalog.h"
#include "catalog/names.h"
#include "catalog/plan_fields.h"
#include "catalog/plan_stages.h"
#include "plan/members.h"
#include "rules/rules.h"

#include <assert.h>
#include <inttypes.h>
#include <reckon/catalog.h>
#include <reckon/plans.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static enum rk_status plan_split_load(const struct place *place, void *target,
                                      struct rk_error *error)
{
    static const struct field blocks = {.type = FIELD_COUNT, .max = UINT16_MAX};
    struct rk_plan *plan = target;
    struct rk_layout layout = *rk_plan_layout(plan);
    enum rk_status status = place_need_array(place, 1, RK_MAX_CHUNKS, error);
    if (status != RK_OK) return status;
    layout.splits = (int)json_array_size(place->value);
    for (int i = 0; status == RK_OK && i < layout.splits; i++) {
        const struct place element = place_element(place, (size_t)i);
        uint64_t count = 0;
        status = field_load(&element, &blocks, &count, error);
        layout.split[i] = (uint16_t)count;
    }
    plan->layout = rk_layout_keep(&layout);
    return status;
}

/* Stages are read after all other members, see plan_read(). */
static enum rk_status plan_stages_load(const struct place *place, void *target,
                                       struct rk_error *error)
{
    (void)target;
    return place_need_array(place, 1, RK_MAX_CHUNKS, error);
}

/* clang-format off */
#define AT(member) .offset = offsetof(struct plan_draft, member)
#define PLAN_COUNT(scope, by, name, value, low, high, text, says) \
    { #name, FIELD_COUNT, AT(plan.name), .min = low, .max = high, .preset = value, .predictors = RK_BY_##by, .word = text, .help = says },
#define PLAN_RANKS(scope, by, name, member, value, low, high, text, says) \
    { #name, FIELD_COUNT, AT(plan.member), .min = low, .max = high, .preset = value, .predictors = RK_BY_##by, .word = text, .help = says },
#define PLAN_LEVEL(scope, by, name, value, low, high, text, says) \
    { #name, FIELD_TIER, AT(plan.name), .min = low, .max = high, .preset = value, .predictors = RK_BY_##by, .word = text, .help = says },
#define PLAN_FLAG(scope, by, name, value, text, says) \
    { #name, FIELD_BOOL, AT(plan.name), .preset = value, .predictors = RK_BY_##by, .word = text, .help = says },
#define PLAN_NUMBER(scope, by, name, value, low, high, text, says) \
    { #name, FIELD_NUMBER, AT(plan.name), .min = low, .max = high, .preset = value, .predictors = RK_BY_##by, .word = text, .help = says },
#define PLAN_CHOICE(scope, by, name, list, value, text, says) \
    { #name, FIELD_CHOICE, AT(plan.name), .choices = names_of_##list, .meanings = meanings_of_##list, .preset = value, .predictors = RK_BY_##by, .word = text, .help = says },
#define PLAN_SWITCH(scope, by, name, list, value, text, says) \
    { #name, FIELD_CHOICE, AT(plan.name), .choices = names_of_##list, .meanings = meanings_of_##list, .switches = true, .preset = value, .predictors = RK_BY_##by, .word = text, .help = says },
#define PLAN_PARTS(scope, by, name, list, text, says) \
    { #name, FIELD_SET, AT(plan.name), .choices = names_of_##list, .meanings = meanings_of_##list, .predictors = RK_BY_##by, .word = text, .help = says },
#define PLAN_SHARE(scope, by, name, first, last, text, says) \
    { #name, FIELD_SHARE, AT(plan.share[first]), .max = RK_SHARE_TIERS, .size = last - first + 1, .predictors = RK_BY_##by, .word = text, .help = says },
#define PLAN_DERIVED(scope, by, name, text, says) \
    { #name, FIELD_COUNT, AT(name), .min = 1, .predictors = RK_BY_##by, .word = text, .help = says },
#define PLAN_SPLIT(scope, by, name, text, says) \
    { #name, FIELD_OTHER, AT(plan), .load = plan_##name##_load, .predictors = RK_BY_##by, .word = text, .help = says },

const struct field plan_fields[] = {
    { "name",        FIELD_TEXT, .help = "what people call it" },
    { "description", FIELD_TEXT, .help = "a sentence or two" },
#include <reckon/plan.def>
    { "source",      FIELD_SOURCE, .help = "where the numbers come from" },
    { .key = NULL },
};
/* clang-format on */

_Static_assert(sizeof plan_fields / sizeof *plan_fields - 1 <= PLAN_MAX_FIELDS,
               "room for each row");

int plan_row(const char *key)
{
    int row = 0;
    while (plan_fields[row].key &&
           (plan_fields[row].key[0] != key[0] || strcmp(plan_fields[row].key, key) != 0))
        row++;
    assert(plan_fields[row].key);
    return row;
}

struct plan_draft plan_draft(void)
{
    return (struct plan_draft){.plan = rk_plan_default()};
}

struct plan_draft plan_draft_of(const struct rk_plan *plan)
{
    struct plan_draft draft = {.plan = *plan};
    draft.given[plan_row("gpus")] = draft.given[plan_row("batch")] = true;
    draft.given[plan_row("precision")] = draft.given[plan_row("framework")] = true;
    draft.given[plan_row("attention")] = plan->attention != rk_usual_attention(plan->framework, 0);
    draft.given[plan_row("reference")] = plan->reference != rk_usual_reference(plan);
    draft.given[plan_row("lora_element_bytes")] =
        plan->lora_element_bytes != rk_usual_lora_bytes(plan);
    return draft;
}

/* Rules that need no model. */
static const enum rule rules_of_degrees[] = {RULE_PRODUCT,     RULE_DIVIDE,       RULE_EXPERT_RANKS,
                                             RULE_SHARD_RANKS, RULE_ULYSSES_SAID, RULE_ULYSSES};
static const enum rule rules_of_lists[] = {RULE_SPLITS};
static const enum rule rules_of_kernels[] = {RULE_ATTENDS, RULE_DISPATCHES};

/* ---- what follows from the rest ---- */

bool plan_take_devices(struct plan_draft *draft, const struct rk_system *system)
{
    if (!system->devices || plan_given(draft, "gpus") || plan_given(draft, "data")) return false;
    draft->plan.ranks = system->devices;
    return draft->given[plan_row("gpus")] = true;
}

bool plan_take_precision(struct plan_draft *draft, const struct rk_system *system)
{
    if (plan_given(draft, "precision")) return false;
    draft->plan.precision = rk_usual_precision(system);
    return draft->given[plan_row("precision")] = true;
}

void plan_take_framework(struct plan_draft *draft, const struct rk_system *system)
{
    const enum rk_framework was = draft->plan.framework;
    const enum rk_framework usual =
        plan_given(draft, "framework") ? was : rk_usual_framework_of(system, &draft->plan);
    const bool xla = !plan_given(draft, "xla") && rk_usual_xla(system, usual);
    struct rk_layout layout = *rk_plan_layout(&draft->plan);
    if (was == usual && !xla) return;
    for (int i = -1; i < layout.others; i++) {
        struct rk_local *layers = i < 0 ? &draft->plan.local : &layout.other[i];
        if (layers->attention == rk_usual_attention(was, 0))
            layers->attention = rk_usual_attention(usual, 0);
        layers->framework = usual;
        layers->xla |= xla && !layers->flat_units;
    }
    draft->plan.layout = rk_layout_keep(&layout);
}

bool plan_take_checkpoint(struct plan_draft *draft, const char *model)
{
    const enum rk_base base = names_base(model ? model : "");
    if (base == RK_BASE_PLAIN || !draft->plan.lora || plan_given(draft, "base")) return false;
    draft->plan.base = base;
    return true;
}

void plan_take_system(struct plan_draft *draft, const struct rk_system *system)
{
    draft->system = system;
    plan_take_framework(draft, system);
    plan_take_devices(draft, system);
    plan_take_precision(draft, system);
}

void plan_imply(struct plan_draft *draft)
{
    const unsigned kernels = draft->system ? draft->system->kernels.attention_kernels : 0;
    const bool alike = !rk_plan_layout(&draft->plan)->others;
    if (alike && !plan_given(draft, "reference"))
        draft->plan.reference = rk_usual_reference(&draft->plan);
    if (alike && !plan_given(draft, "lora_element_bytes"))
        draft->plan.lora_element_bytes = rk_usual_lora_bytes(&draft->plan);
    if (plan_given(draft, "attention")) return;
    if (alike)
        draft->plan.attention = rk_usual_attention(draft->plan.framework, kernels);
    else if (draft->system)
        plan_attend_on(&draft->plan, draft->system);
}

bool plan_lacks(const struct rk_plan *plan, const struct rk_system *system, struct plan_lack *out)
{
    const struct rule_case c = rule_case_of(NULL, system, plan);
    const enum rule broken = rules_first(&c, rules_of_kernels, 2);
    if (broken == RULES) return false;
    const struct rule_words w = rule_words(broken, &c);
    out->key = w.key;
    snprintf(out->name, sizeof out->name, "%s", w.have);
    snprintf(out->why, sizeof out->why, "%s", w.need);
    snprintf(out->fix, sizeof out->fix, "%s", w.fix);
    return true;
}

void plan_attend_on(struct rk_plan *plan, const struct rk_system *system)
{
    const unsigned have = system->kernels.attention_kernels;
    const enum rk_attention_kernel usual = rk_usual_attention(plan->framework, 0);
    struct rk_layout layout = *rk_plan_layout(plan);
    if (rk_attends(have, usual)) return;
    for (int i = -1; i < layout.others; i++) {
        struct rk_local *layers = i < 0 ? &plan->local : &layout.other[i];
        if (layers->attention == usual)
            layers->attention = rk_usual_attention(plan->framework, have);
    }
    plan->layout = rk_layout_keep(&layout);
}

static bool fault_at(struct plan_fault *fault, const char *key, const char *format, ...)
    RK_PRINTF(3, 4);

static bool fault_at(struct plan_fault *fault, const char *key, const char *format, ...)
{
    va_list values;
    fault->row = plan_row(key);
    fault->have[0] = '\0';
    va_start(values, format);
    vsnprintf(fault->text, sizeof fault->text, format, values);
    va_end(values);
    return false;
}

/* False beyond 2^53. */
static bool product(const uint64_t *factors, int count, uint64_t *value)
{
    *value = 1;
    for (int i = 0; i < count; i++)
        if (__builtin_mul_overflow(*value, factors[i], value)) return false;
    return *value <= UINT64_C(1) << 53;
}

bool plan_derive(struct plan_draft *draft, struct plan_fault *fault)
{
    struct rk_plan *p = &draft->plan;
    uint64_t all, batch, stages, experts;
    if (!product((uint64_t[]){p->tensor, p->context, p->pipeline, draft->data ? draft->data : 1}, 4,
                 &all) ||
        !product((uint64_t[]){p->pipeline, p->chunks}, 2, &stages) ||
        !product((uint64_t[]){p->pipeline, p->expert, rk_plan_expert_tensor(p)}, 3, &experts))
        return fault_at(fault, "pipeline", "the product of all degrees is more than 2^53");
    const uint64_t round = rk_plan_layout(p)->round; /* stages have replicas of their own */
    if (!plan_given(draft, "gpus") && !round) p->ranks = all;
    if (!product(round ? (uint64_t[]){4, round, 1} : (uint64_t[]){4, p->ranks, p->microbatch}, 3,
                 &batch))
        return fault_at(fault, "microbatch", "4 * gpus * microbatch is more than 2^53");
    if (!plan_given(draft, "batch")) p->batch = batch;
    if (p->recompute == RK_SELECTIVE && !p->recompute_parts)
        p->recompute_parts = 1u << RK_PART_CORE_ATTENTION; /* as Megatron-LM does */
    return true;
}

uint64_t plan_gpus(const struct plan_draft *draft, uint64_t gpus, const struct rk_system *system)
{
    struct plan_draft whole = *draft;
    struct plan_fault ignored;
    if (gpus) return gpus;
    plan_take_devices(&whole, system);
    return plan_derive(&whole, &ignored) ? whole.plan.ranks : 0;
}

static bool keeps(const struct plan_draft *draft, const enum rule *rules, size_t count,
                  struct plan_fault *fault)
{
    const struct rule_case c = rule_case_of(NULL, draft->system, &draft->plan);
    const enum rule broken = rules_first(&c, rules, count);
    if (broken == RULES) return true;
    const struct rule_words w = rule_words(broken, &c);
    fault_at(fault, w.key, "%s%s%s", w.need, *w.fix ? ": " : "", w.fix);
    memcpy(fault->have, w.have, sizeof fault->have);
    return false;
}
#define KEEPS(rules) keeps(draft, rules, sizeof(rules) / sizeof *(rules), fault)

static bool complete_ranks(const struct plan_draft *draft, struct plan_fault *fault)
{
    const struct rk_plan *p = &draft->plan;
    const uint64_t all = p->tensor * p->context * p->pipeline * draft->data;
    if (!draft->data || p->ranks == all) return true;
    return fault_at(fault, "data",
                    "tensor %" PRIu64 " * context %" PRIu64 " * pipeline %" PRIu64
                    " * data %" PRIu64 " = %" PRIu64 " is not gpus = %" PRIu64
                    ": change one of them",
                    p->tensor, p->context, p->pipeline, draft->data, all, p->ranks);
}

static bool complete_split(const struct plan_draft *draft, struct plan_fault *fault)
{
    const struct rk_plan *p = &draft->plan;
    if (plan_given(draft, "stages") && plan_given(draft, "split"))
        return fault_at(fault, "split", "says what stages say: leave one out");
    if (!rk_plan_layout(p)->splits || !(p->first_layers || p->last_layers))
        return KEEPS(rules_of_lists);
    return fault_at(fault, "split", "says what first_layers and last_layers say: leave one out");
}

static bool complete_recompute(const struct plan_draft *draft, struct plan_fault *fault)
{
    const struct rk_plan *p = &draft->plan;
    if (p->recompute == RK_SELECTIVE || !p->recompute_parts) return true;
    return fault_at(fault, "recompute_parts", "need recompute to be selective, it is %s",
                    rk_recompute_mode_name(p->recompute));
}

/* Stages with replicas of their own say what else follows from the whole. */
static bool complete_parts(const struct plan_draft *draft, struct plan_fault *fault)
{
    static const char *const said[] = {"data", "gpus", "microbatch", "first_layers", "last_layers"};
    const struct rk_plan *p = &draft->plan;
    const uint64_t round = rk_plan_layout(p)->round;
    for (int i = 0; i < (int)(sizeof said / sizeof *said); i++)
        if (draft->words[plan_row(said[i])])
            return fault_at(fault, said[i], "follows from stages=%" PRIu64 ":...: leave it out",
                            round);
    if (p->batch % round == 0) return true;
    return fault_at(fault, "batch",
                    "%" PRIu64 " samples are not a multiple of the %" PRIu64
                    " that all replicas take at a time: change one of them",
                    p->batch, round);
}

static bool complete_degrees(const struct plan_draft *draft, struct plan_fault *fault)
{
    if (rk_plan_layout(&draft->plan)->parts) return complete_parts(draft, fault);
    return complete_ranks(draft, fault) && KEEPS(rules_of_degrees);
}

bool plan_complete(struct plan_draft *draft, struct plan_fault *fault)
{
    plan_imply(draft);
    return plan_derive(draft, fault) && complete_degrees(draft, fault) &&
           complete_split(draft, fault) && complete_recompute(draft, fault) &&
           (!draft->system || KEEPS(rules_of_kernels));
}

/* ---- files ---- */

static void note_key(struct plan_draft *draft, int row, const struct place *member)
{
    struct rk_error spot;
    place_fail(member, &spot, "%s", ""); /* only to learn where it stands */
    draft->given[row] = true;
    draft->at[row].line = spot.line;
    draft->at[row].column = spot.column;
}

/* A list may be said as a line says it, "mlp+layernorm": the plans of answers do. */
static bool is_said_in_words(const struct place *root, const struct field *field,
                             struct place *member)
{
    const bool list =
        field->type == FIELD_SET || field->type == FIELD_SHARE || field->type == FIELD_OTHER;
    return list && field->word && place_member(root, field->key, member) &&
           json_is_string(member->value) && !strpbrk(json_string_value(member->value), " \t\n");
}

static enum rk_status read_in_words(const struct place *root, struct plan_draft *read,
                                    struct rk_error *error)
{
    for (const struct field *field = plan_fields; field->key; field++) {
        struct place member;
        char word[RK_PLAN_TEXT];
        struct rk_error fault;
        if (!is_said_in_words(root, field, &member)) continue;
        snprintf(word, sizeof word, "%s=%s", field->word, json_string_value(member.value));
        if (plan_read_words(word, read, &fault) != RK_OK)
            return place_fail(&member, error, "%s", fault.text);
        note_key(read, plan_row(field->key), &member);
    }
    memset(read->words, 0, sizeof read->words);
    return RK_OK;
}

/* What is said as lists, numbers and names; the caller releases root->value. */
static enum rk_status read_fields(struct place *root, struct plan_draft *read,
                                  struct rk_error *error)
{
    static const char *const implied[] = {"attention", "reference", "lora_element_bytes"};
    struct place member;
    root->value = json_copy(root->value);
    for (const struct field *field = plan_fields; root->value && field->key; field++)
        if (is_said_in_words(root, field, &member)) json_object_del(root->value, field->key);
    if (!root->value) return no_memory(error);
    const enum rk_status status = fields_load(root, plan_fields, read, error);
    for (size_t i = 0; i < sizeof implied / sizeof *implied; i++)
        read->given[plan_row(implied[i])] = place_member(root, implied[i], &member);
    plan_imply(read);
    if (status == RK_OK && place_member(root, "stages", &member))
        return plan_stages_read(&member, &read->plan, error);
    return status;
}

enum rk_status plan_read(const struct document *document, struct plan_draft *draft,
                         struct rk_error *error)
{
    const struct place root = place_root(document);
    struct place rest = root;
    struct plan_draft read = plan_draft();
    enum rk_status status = read_fields(&rest, &read, error);
    for (int row = 0; plan_fields[row].key; row++) {
        struct place member;
        if (place_member(&rest, plan_fields[row].key, &member)) note_key(&read, row, &member);
    }
    json_decref(rest.value);
    if (status == RK_OK) status = read_in_words(&root, &read, error);
    if (status != RK_OK) return status;
    snprintf(read.path, sizeof read.path, "%s", document->path);
    *draft = read;
    return RK_OK;
}

enum rk_status plan_read_file(const struct document *document, struct rk_plan *plan,
                              struct rk_error *error)
{
    struct plan_draft draft;
    struct plan_fault fault;
    const enum rk_status status = plan_read(document, &draft, error);
    if (status != RK_OK) return status;
    if (!plan_complete(&draft, &fault)) return plan_fail(&draft, &fault, error);
    *plan = draft.plan;
    return RK_OK;
}

/* As <reckon/catalog.h> says what is a file. */
static bool is_file(const char *name)
{
    const size_t length = strlen(name), ending = strlen(".json");
    return strcmp(name, "-") == 0 || strchr(name, '/') ||
           (length >= ending && strcmp(name + length - ending, ".json") == 0);
}

bool plan_is_line(const char *name)
{
    const char *word = name + strspn(name, " \t");
    return plan_is_word(word, strcspn(word, " \t"));
}

enum rk_status plan_named(const char *name, struct plan_draft *draft, struct rk_error *error)
{
    struct document document = {0};
    if (plan_is_line(name)) return plan_read_words(name, draft, error);
    enum rk_status status = document_load(name, &document, error);
    if (status == RK_OK) status = plan_read(&document, draft, error);
    document_release(&document);
    return status;
}

enum rk_status plan_named_on(const char *name, const struct rk_system *system, uint64_t gpus,
                             struct rk_plan *plan, struct rk_error *error)
{
    struct plan_draft draft = plan_draft();
    struct plan_fault fault;
    const enum rk_status status = plan_named(name, &draft, error);
    if (status != RK_OK) return status;
    if (gpus) {
        if (plan_given(&draft, "gpus")) draft.data = 0;
        draft.plan.ranks = gpus;
        draft.given[plan_row("gpus")] = true;
    }
    if (!system->machine) plan_take_system(&draft, system);
    if (!plan_complete(&draft, &fault)) return plan_fail(&draft, &fault, error);
    *plan = draft.plan;
    return RK_OK;
}

enum rk_status rk_plan_load(const char *name, struct rk_plan *plan, struct rk_error *error)
{
    struct document document = {0};
    if (!is_file(name)) return rk_plan_parse(name, plan, error);
    enum rk_status status = document_load(name, &document, error);
    if (status == RK_OK) status = plan_read_file(&document, plan, error);
    document_release(&document);
    return status;
}
