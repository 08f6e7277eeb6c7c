/* words.c - what to say of a rule that is broken, and numbers near a wrong one. */
#include "plan/names.h"
#include "rules/predicates.h"
#include "rules/rules.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

RK_PRINTF(3, 4)
static void put(char *to, size_t size, const char *format, ...)
{
    va_list values;
    va_start(values, format);
    vsnprintf(to, size, format, values);
    va_end(values);
}

/* "context 2 * ", where there is one. */
static const char *context_factor(char buffer[static 48], const struct rk_plan *p)
{
    if (p->context > 1) snprintf(buffer, 48, "context %" PRIu64 " * ", p->context);
    return buffer;
}

/* "flash, unfused": the names whose bits are in `have`. */
static const char *list_of(char buffer[static 128], const char *const *names, unsigned have)
{
    for (int i = 0; names[i]; i++)
        if (have >> i & 1)
            put(buffer + strlen(buffer), 128 - strlen(buffer), "%s%s", *buffer ? ", " : "",
                names[i]);
    return buffer;
}

/* ---- numbers near a wrong one ---- */

/* "use 96 or 128": the multiples of `unit` on both sides. */
static void multiple(struct rule_words *w, uint64_t value, uint64_t unit)
{
    if (!unit) return;
    const uint64_t below = value / unit * unit;
    if (below)
        put(w->fix, sizeof w->fix, "use %" PRIu64 " or %" PRIu64, below, below + unit);
    else
        put(w->fix, sizeof w->fix, "use %" PRIu64, unit);
}

enum { NEAR = 1 << 16 };

/* Divisors of both numbers (0: of any), on both sides of `value`. */
static void divisor(struct rule_words *w, uint64_t value, uint64_t a, uint64_t b)
{
    uint64_t below = 0, above = 0;
    for (uint64_t d = 1; d <= a && d <= 4 * value && d <= NEAR; d++) {
        if (a % d || (b && b % d)) continue;
        if (d <= value) below = d;
        if (d > value && !above) above = d;
    }
    if (above)
        put(w->fix, sizeof w->fix, "use %" PRIu64 " or %" PRIu64, below, above);
    else if (a)
        put(w->fix, sizeof w->fix, "use %" PRIu64, below);
}

/* Layers of the ends that leave as many to each stage between them. */
static void ends_that_fit(struct rule_words *w, uint64_t layers, uint64_t stages)
{
    if (stages < 3 || layers < stages) return;
    const uint64_t both = layers - layers / stages * (stages - 2);
    put(w->fix, sizeof w->fix, "give first and last %" PRIu64 " and %" PRIu64, both / 2,
        both - both / 2);
}

/* A block for each of more stages than layers: the ends as blocks of their own where that suffices,
 * else fewer chunks, else fewer stages. */
static void a_block_each(struct rule_words *w, const struct rk_model *model,
                         const struct rk_plan *plan)
{
    const uint64_t stages = stages_of(plan), chunks = model->layers / plan->pipeline;
    const bool one = plan->embedding_counts || plan->head_counts;
    if (!ends_of(plan) && slots_of(model, plan) < model->layers + 2 && model->layers + 2 >= stages)
        put(w->fix, sizeof w->fix, "give %s%s%s", plan->embedding_counts ? "" : "embedding-counts",
            one                           ? ""
            : model->layers + 1 >= stages ? " or "
                                          : " ",
            plan->head_counts ? "" : "head-counts");
    else if (plan->chunks > 1 && chunks > 1)
        put(w->fix, sizeof w->fix, "give vpp%" PRIu64 " or less", chunks);
    else if (plan->chunks > 1 && chunks)
        put(w->fix, sizeof w->fix, "leave vpp out");
    else
        divisor(w, plan->pipeline < model->layers ? plan->pipeline : model->layers, model->layers,
                0);
}

/* A precision of 16 bits that the device multiplies. */
static void a_precision(struct rule_words *w, const struct rk_system *system)
{
    for (int i = RK_FP16; i <= RK_BF16; i++)
        if (operand_peak(system, operand_of((enum rk_precision)i, true)) > 0)
            put(w->fix, sizeof w->fix, "use %s", rk_precision_name((enum rk_precision)i));
}

struct rule_words rule_words(enum rule rule, const struct rule_case *c)
{
    const struct rk_model *const m = c->model;
    const struct rk_system *const s = c->system;
    const struct rk_plan *const p = c->plan;
    const struct rk_layout *const l = rk_plan_layout(p);
    struct rule_words w = {.id = ""};
    /* clang-format off */
#define U PRIu64
#define TEXT(...) put(w.have, sizeof w.have, __VA_ARGS__);
#define HAS(value) TEXT("%" U, (uint64_t)(value))
#define SAY(...) put(w.need, sizeof w.need, __VA_ARGS__);
#define NAMES(names, bits) SAY("is not on %.70s, which has %.120s", s->id, list_of((char[128]){""}, names, bits))
#define GIVE(...) put(w.fix, sizeof w.fix, __VA_ARGS__);
#define MULTIPLE(value, unit) multiple(&w, value, unit);
#define DIVISOR(value, a, b) divisor(&w, value, a, b);
#define ENDS_THAT_FIT ends_that_fit(&w, m->layers, p->pipeline);
#define A_BLOCK_EACH a_block_each(&w, m, p);
#define A_PRECISION a_precision(&w, s);
#define NO_FIX
    switch (rule) {
#define RULE(name, part, who, id_, key_, verdict, what_, holds, need_, have_, says, fix_) \
    case RULE_##name:                                                                     \
        w.id = (id_);                                                                     \
        w.key = (key_);                                                                   \
        w.what = (what_);                                                                 \
        says                                                                              \
        fix_                                                                              \
        break;
#include "rules/rules.def"
    /* clang-format on */
    case RULES:
        break;
    }
    return w;
}

void rule_text(const struct rule_words *words, char *text, size_t size)
{
    const bool named = *words->have;
    snprintf(text, size, "%s%s%s%s%s%s%s", named ? words->key : "", named ? " " : "", words->have,
             named ? ": " : "", words->need, *words->fix ? ": " : "", words->fix);
}

enum rk_status rule_refuse(enum rule rule, const struct rule_case *c, enum rk_status status,
                           struct rk_error *error)
{
    char text[sizeof(struct rule_words) + 48];
    const struct rule_words words = rule_words(rule, c);
    rule_text(&words, text, sizeof text);
    return rk_fail(error, status, NULL, 0, 0, "%s", text);
}
