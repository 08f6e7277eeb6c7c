#include "cli/gains.h"

#include "base/text.h"
#include "catalog/plan_compare.h"
#include "cli/launchable.h"
#include "knobs/knobs.h"

#include <reckon/sure.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

double gains_usable(const struct rk_model *model, const struct rk_system *system,
                    const struct rk_plan *plan)
{
    double room;
    struct rk_error ignored;
    const enum rk_status status = rk_headroom_share(NULL, model, system, plan, &room, &ignored);
    return system->memory[0].capacity_bytes * (status == RK_OK ? room : 1);
}

/* ---- of a plan ---- */

/* `words` as a line of a plan has them, or a degree times 2 or by 2. */
enum kind { WORDS, TWICE, HALF };

/* clang-format off */
static const struct change {
    enum kind kind;
    const char *words, *what;
} changes[] = {
    {WORDS, "grad-overlap",              "overlap the reduction of gradients with the backward pass"},
    {WORDS, "zero1",                     "shard the optimizer's state"},
    {WORDS, "zero1 grad-overlap",        "shard the optimizer's state, overlap gradients"},
    {WORDS, "weight-overlap",            "overlap the gathering of weights with the forward pass"},
    {WORDS, "grad-overlap weight-overlap", "overlap gradients and weights of the sharded optimizer"},
    {WORDS, "zero2",                     "shard gradients, but not weights"},
    {WORDS, "tp-overlap=ring",           "overlap tensor communication with products"},
    {WORDS, "sp",                        "shard norms and dropout over tensor ranks"},
    {WORDS, "recompute=none",              "recompute nothing"},
    {WORDS, "recompute=selective",       "recompute attention alone"},
    {WORDS, "fused",                     "use fused kernels"},
    {WORDS, "attention=flash",           "use FlashAttention"},
    {WORDS, "cuda-graphs",               "capture CUDA graphs"},
    {WORDS, "cuda-graphs graph-parts=attn+moe_router+moe_preprocess", "capture what has a fixed shape in CUDA graphs"},
    {WORDS, "keep-gathered",             "keep weights gathered for the backward pass"},
    {WORDS, "gradient-fusion",           "add weight gradients up in the product's kernel"},
    {WORDS, "vpp2",                      "interleave two virtual stages"},
    {WORDS, "vpp4",                      "interleave four virtual stages"},
    {WORDS, "vpp1",                      "interleave no stages"},
    {WORDS, "offload-optimizer=0",       "keep the optimizer on the GPU"},
    {TWICE, "microbatch",                "double the microbatch"},
    {HALF,  "microbatch",                "halve the microbatch"},
    {TWICE, "tensor",                    "double tensor parallelism"},
    {HALF,  "tensor",                    "halve tensor parallelism"},
    {TWICE, "pipeline",                  "double pipeline parallelism"},
    {HALF,  "pipeline",                  "halve pipeline parallelism"},
    {TWICE, "context",                   "double context parallelism"},
    {HALF,  "context",                   "halve context parallelism"},
    {TWICE, "expert",                    "double expert parallelism"},
    {HALF,  "expert",                    "halve expert parallelism"},
};
/* clang-format on */
enum { CHANGES = sizeof changes / sizeof *changes };

/* What is below is 0.0 % where gains are listed. */
#define LEAST_GAIN 0.0005

static bool is_shorter(const struct gain_case *of, double step_s)
{
    return step_s < of->step_s * (1 - LEAST_GAIN);
}

/* False: it does not apply. */
static bool make(const struct rk_plan *from, const struct change *c, struct rk_plan *plan)
{
    char words[64];
    struct rk_error ignored;
    struct plan_fault fault;
    struct plan_draft draft = plan_draft_of(from);
    snprintf(words, sizeof words, "%s", c->words);
    if (c->kind != WORDS) {
        char value[PLAN_VALUE];
        const uint64_t now = strtoull(plan_value_text(from, plan_row(c->words), value), NULL, 10);
        if (c->kind == HALF && (now < 2 || now % 2)) return false;
        snprintf(words, sizeof words, "%s=%llu", c->words,
                 (unsigned long long)(c->kind == TWICE ? 2 * now : now / 2));
    }
    if (plan_read_words(words, &draft, &ignored) != RK_OK || !plan_complete(&draft, &fault))
        return false;
    *plan = draft.plan;
    return plan->batch == from->batch && plan->ranks == from->ranks;
}

/* "tp4 -> tp2": the keys in which they differ, as a plan says them. */
static bool spell(const struct rk_model *model, const struct rk_plan *a, const struct rk_plan *b,
                  char text[GAIN_TEXT])
{
    struct plan_difference list[PLAN_MAX_FIELDS];
    const struct rk_plan x = plan_canonical(model, a), y = plan_canonical(model, b);
    const int count = plan_compare(&x, &y, list);
    size_t used = 0;
    *text = '\0';
    for (int i = 0; i < count && used < GAIN_TEXT; i++)
        used += (size_t)snprintf(text + used, GAIN_TEXT - used, "%s%s %s -> %s", i ? ", " : "",
                                 plan_fields[list[i].row].key, list[i].a, list[i].b);
    return count > 0;
}

/* ... as the script's arguments; false: it cannot say the change. */
static bool spell_script(const struct gain_case *of, const struct rk_plan *a,
                         const struct rk_plan *b, struct megatron_changes *list, struct gain *gain)
{
    const struct launch_source *s = of->source;
    const struct megatron_options options = {.machine = s->machine,
                                             .sets = s->sets,
                                             .set_count = s->set_count,
                                             .gpus = s->gpus,
                                             .vocabulary = s->vocabulary,
                                             .variant = (int)s->variant,
                                             .ignored = s->ignored,
                                             .ignored_count = s->ignored_count,
                                             .version = of->launch->version};
    struct rk_error ignored;
    size_t used = 0;
    if (megatron_change(s->path, of->launch->text, of->launch->size, &options, of->model, a, b,
                        list, NULL, &ignored) != RK_OK)
        return false;
    for (int i = 0; i < list->count && used < GAIN_TEXT; i++) {
        const struct megatron_change *c = &list->change[i];
        const char *verb = !c->was ? "add " : !c->is ? "remove " : "";
        used +=
            (size_t)snprintf(gain->change + used, GAIN_TEXT - used, "%s%s%s%s%s%s%s", i ? ", " : "",
                             verb, c->flag, *c->before && c->is ? " " : "", c->is ? c->before : "",
                             *c->before && c->is ? " -> "
                             : *c->after         ? " "
                                                 : "",
                             c->is ? c->after : "");
        if (!gain->line) gain->line = c->line;
    }
    return list->count > 0;
}

struct work {
    struct rk_prediction *prediction;
    struct megatron_changes *list;
    struct launch_limits limits;
};

static bool try_change(const struct gain_case *of, const struct change *c, const struct work *w,
                       struct gain *gain)
{
    struct rk_prediction *p = w->prediction;
    *gain = (struct gain){.what = c->what};
    if (!make(of->plan, c, &gain->plan)) return false;
    rk_predict(of->model, of->system, &gain->plan, p);
    if (!knobs_holds(p, of->usable_bytes) || !is_shorter(of, p->step_s)) return false;
    if (!launch_within(&w->limits, &gain->plan)) return false;
    gain->step_s = p->step_s;
    gain->total_bytes = p->stage[p->tightest].total_bytes;
    if (!of->launch || !of->launch->core)
        return spell(of->model, of->plan, &gain->plan, gain->change);
    const struct rk_plan a = plan_canonical(of->model, of->plan),
                         b = plan_canonical(of->model, &gain->plan);
    return spell_script(of, &a, &b, w->list, gain);
}

static int by_time(const void *a, const void *b)
{
    const struct gain *x = a, *y = b;
    if (x->step_s != y->step_s) return x->step_s < y->step_s ? -1 : 1;
    return strcmp(x->change, y->change);
}

/* What two changes say alike is one. */
static int once(struct gain *gains, int count)
{
    int kept = 0;
    for (int i = 0; i < count; i++)
        if (!kept || strcmp(gains[kept - 1].change, gains[i].change) != 0) gains[kept++] = gains[i];
    return kept;
}

static int of_plan(const struct gain_case *of, struct gain gains[static GAINS])
{
    const struct work w = {malloc(sizeof *w.prediction), calloc(1, sizeof *w.list),
                           launch_limits_of(of->model, of->system, of->plan)};
    int count = 0;
    for (int i = 0; w.prediction && w.list && i < CHANGES; i++)
        count += try_change(of, &changes[i], &w, &gains[count]);
    free(w.prediction);
    free(w.list);
    qsort(gains, (size_t)count, sizeof *gains, by_time);
    return once(gains, count);
}

/* ---- of a configuration ---- */

/* The line of a script that gives a key, by its last part: the file's own keys are elsewhere. */
static int line_of_word(const char *text, const char *key)
{
    const char *dot = strrchr(key, '.'), *word = dot ? dot + 1 : key, *at = strstr(text, word);
    return at ? text_line(text, at) : 0;
}

static void take(const struct gain_case *of, const struct knob_change *c, struct gain *gain)
{
    size_t used = 0;
    *gain = (struct gain){.what = c->what,
                          .line = c->set[0].line,
                          .plan = c->plan,
                          .step_s = c->step_s,
                          .total_bytes = c->total_bytes};
    for (int i = 0; i < c->sets && used < GAIN_TEXT; i++) {
        const struct knob_set *s = &c->set[i];
        used +=
            (size_t)snprintf(gain->change + used, GAIN_TEXT - used, "%s%s %s%s%s", i ? ", " : "",
                             s->key, s->before, *s->before ? " -> " : "= ", s->after);
        if (of->launch->script && !gain->line) gain->line = line_of_word(of->launch->text, s->key);
    }
}

static int of_config(const struct gain_case *of, struct gain gains[static GAINS])
{
    const struct config_source config = launch_config(of->source, of->launch);
    const struct knob_file file = {.format = of->launch->format,
                                   .source = &config,
                                   .size = of->launch->size,
                                   .script = of->launch->script,
                                   .model = of->model,
                                   .system = of->system,
                                   .usable_bytes = of->usable_bytes};
    struct knob_change *found = calloc(KNOB_SINGLES, sizeof *found);
    const int count = found ? knobs_try(&file, of->step_s, found) : 0;
    struct launch_limits limits = launch_limits_of(of->model, of->system, of->plan);
    int kept = 0;
    limits.file = false; /* it is this one, and its reader took the change */
    for (int i = 0; i < count && kept < GAINS; i++)
        if (is_shorter(of, found[i].step_s) && launch_within(&limits, &found[i].plan))
            take(of, &found[i], &gains[kept++]);
    free(found);
    return kept;
}

int gains_of(const struct gain_case *of, struct gain gains[static GAINS])
{
    return of->launch && of->launch->format ? of_config(of, gains) : of_plan(of, gains);
}
