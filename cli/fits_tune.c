/* fits_tune.c - `reckon fits --tune`: over the ways of fine-tuning, what fits. */
#include "base/units.h"
#include "catalog/hosts.h"
#include "cli/fits.h"
#include "cli/verdict.h"

#include <string.h>

enum { MOST_MICROBATCH = 256, TOKENS_STEP = 512, MOST_TOKENS = 1 << 20 };

/* One choice of each list makes a way. Nothing is tried of a list whose key was said. */
struct choice {
    const char *name, *words;
};
/* clang-format off */
static const struct choice methods[] = {
    {"full",       ""},
    {"full, bf16", "weight-bytes=2 gradient-bytes=2 moment1-bytes=2 moment2-bytes=2"},
    {"full, 8-bit Adam", "weight-bytes=2 gradient-bytes=2 optimizer=adam-8bit"},
    {"LoRA",       "lora=16 lora-bytes=4"},
    {"QLoRA",      "lora=16 lora-bytes=4 base=nf4-dq"},
}, shardings[] = {
    {"", "zero0"},
    {"", "zero3"},
}, recomputations[] = {
    {"", "recompute=none"},
    {"", "recompute=full"},
}, losses[] = {
    {"", "no-loss-in-chunks"},
    {"", "loss-in-chunks"},
}, offloads[] = {
    {"", ""},
    {"", "optimizer-paged"},
    {"", "zero3 offload-optimizer=1 offload-weights=1"}, /* FSDP's and ZeRO-3's */
};
static const struct list {
    const char *keys[6];
    const struct choice *choice;
    int count;
} lists[] = {
    {{"lora", "base", "frozen", "optimizer", "weight_element_bytes", NULL}, methods, 5},
    {{"zero", "data", NULL},                        shardings, 2},
    {{"recompute", NULL},                           recomputations, 2},
    {{"loss_in_chunks", "loss", NULL},              losses, 2},
    {{"optimizer_offload", "weight_offload", "optimizer_paged", NULL}, offloads, 3},
};
/* clang-format on */
enum { LISTS = sizeof lists / sizeof *lists, METHODS = 5 };

struct way {
    const char *method;
    struct rk_plan plan;
    enum sure sure;
    double need_bytes, tokens_per_s; /* tokens: per GPU */
    uint64_t most;                   /* samples of a microbatch that fits */
};

struct tuning {
    const struct fits_question *question;
    const struct plan_input *input;
    const struct rk_system *host; /* with the nodes' memory; NULL: not known */
    struct way least[METHODS], fastest[METHODS];
    bool any[METHODS];
};

static bool is_said(const struct plan_draft *draft, const struct list *list)
{
    for (const char *const *key = list->keys; *key; key++)
        if (plan_given(draft, *key)) return true;
    return false;
}

static bool offloads_of(const struct rk_plan *plan)
{
    return plan->optimizer_paged || rk_plan_away(plan, RK_SHARE_OPTIMIZER) > 0 ||
           rk_plan_away(plan, RK_SHARE_WEIGHTS) > 0 || rk_plan_activations_away(plan) > 0;
}

static const struct rk_system *system_of(const struct tuning *t, const struct rk_plan *plan)
{
    return offloads_of(plan) && t->host ? t->host : &t->input->system;
}

/* Is it sure that the plan fits? One that cannot run does not. */
static enum sure sure_of_plan(const struct tuning *t, struct rk_plan *plan, struct rk_prediction *p)
{
    const struct rk_system *system = system_of(t, plan);
    if (!plan_given(&t->input->draft, "batch")) plan->batch = plan->microbatch * rk_plan_data(plan);
    rk_predict(&t->input->model, system, plan, p);
    const struct forecast f = {&t->input->model, system, plan, p, "", NULL};
    return verdict_sure(&f, &t->question->sure);
}

/* The longest sample that surely fits, a multiple of TOKENS_STEP: memory grows with it. */
static uint64_t longest_of(const struct tuning *t, struct rk_plan plan)
{
    struct rk_prediction p;
    uint64_t fits = 0, fails = MOST_TOKENS / TOKENS_STEP + 1;
    plan.microbatch = 1;
    while (fails - fits > 1) {
        const uint64_t middle = (fits + fails) / 2;
        plan.sequence = middle * TOKENS_STEP;
        *(sure_of_plan(t, &plan, &p) == SURE_FITS ? &fits : &fails) = middle;
    }
    return fits * TOKENS_STEP;
}

static void note_figures(struct way *way, const struct rk_prediction *p)
{
    way->need_bytes = p->stage[p->tightest].total_bytes;
    way->tokens_per_s = p->tokens_per_s / (double)way->plan.ranks;
}

/* The same way with the fastest microbatch: doubled while that surely fits. */
static struct way widen(const struct tuning *t, struct way *way)
{
    struct rk_prediction p;
    struct way wide = *way, fastest = *way;
    const bool free = way->sure == SURE_FITS && !plan_given(&t->input->draft, "microbatch");
    while (free && wide.plan.microbatch < MOST_MICROBATCH) {
        wide.plan.microbatch *= 2;
        if (sure_of_plan(t, &wide.plan, &p) != SURE_FITS) break;
        note_figures(&wide, &p);
        way->most = wide.plan.microbatch;
        if (wide.tokens_per_s > fastest.tokens_per_s) fastest = wide;
    }
    fastest.most = way->most;
    return fastest;
}

/* For the choice alone: what offloads wins where it is faster by more than the median error of a
 * time, a tenth. It wants pinned memory and an idle link, of which a prediction knows little. */
static double speed_of(const struct way *way)
{
    return way->tokens_per_s * (offloads_of(&way->plan) ? 0.9 : 1);
}

/* A sure way is better than one that is not; then the one that needs less, or is faster. */
static bool is_better(const struct way *a, const struct way *b, bool by_need)
{
    if (a->sure != b->sure) return a->sure < b->sure;
    return by_need ? a->need_bytes < b->need_bytes : speed_of(a) > speed_of(b);
}

static void weigh(struct tuning *t, int method, const struct rk_plan *plan)
{
    struct rk_prediction p;
    struct way way = {.method = methods[method].name, .plan = *plan, .most = plan->microbatch};
    if (is_said(&t->input->draft, &lists[0])) way.method = "as given";
    way.sure = sure_of_plan(t, &way.plan, &p);
    if (way.sure == SURE_NOT) return;
    note_figures(&way, &p);
    const struct way fast = widen(t, &way);
    struct way *least = &t->least[method], *fastest = &t->fastest[method];
    if (!t->any[method] || is_better(&way, least, true)) *least = way;
    if (!t->any[method] || is_better(&fast, fastest, false)) *fastest = fast;
    t->any[method] = true;
}

/* Trained weights in fp16 alone: GradScaler refuses their gradients ("Attempting to unscale FP16
 * gradients", torch/amp/grad_scaler.py), so that no GPU without bf16 trains in 16 bits. */
static bool is_unscalable(const struct rk_plan *plan)
{
    return plan->precision == RK_FP16 && plan->weight_element_bytes == 2 && !rk_plan_freezes(plan);
}

/* Every way: `chosen` has the words of the lists before this one. */
static void walk(struct tuning *t, int list, int method, const struct plan_draft *chosen)
{
    if (list == LISTS) {
        weigh(t, method, &chosen->plan);
        return;
    }
    const bool said = is_said(&t->input->draft, &lists[list]);
    for (int i = 0; i < (said ? 1 : lists[list].count); i++) {
        struct plan_draft draft = *chosen;
        struct rk_error none;
        if (!said && plan_read_words(lists[list].choice[i].words, &draft, &none) != RK_OK) continue;
        if (!said && is_unscalable(&draft.plan)) continue;
        if (offloads_of(&draft.plan) && !t->host && t->input->system.memories < 2) continue;
        draft.plan.ranks = chosen->plan.ranks;
        walk(t, list + 1, list == 0 ? i : method, &draft);
    }
}

/* ---- what is printed ---- */

/* clang-format off */
static const struct report_column columns[] = {
    {.name = "method"},
    {.name = "best_in", .title = "has the"},
    {.name = "fits"},
    {.name = "need_bytes",   .title = "need",  .unit = "B", .digits = 2},
    {.name = "microbatch",   .title = "samples"},
    {.name = "most_samples", .title = "up to"},
    {.name = "tokens_per_s", .title = "tokens/s/GPU", .digits = 1},
    {.name = "longest",      .title = "longest"},
    {.name = "plan_words",   .title = "plan"},
};
/* clang-format on */

static void add_way(struct report *report, struct report_table *table, const struct tuning *t,
                    const struct way *way, const char *best_in)
{
    char text[RK_PLAN_TEXT];
    rk_plan_text(&way->plan, text, sizeof text);
    const uint64_t longest = way->sure == SURE_FITS ? longest_of(t, way->plan) : 0;
    REPORT_ROW(report, table, cell_text(way->method), cell_text(best_in),
               cell_text(sure_name(way->sure)), cell_number(way->need_bytes),
               cell_count(way->plan.microbatch), cell_count(way->most),
               cell_number(way->tokens_per_s), longest ? cell_count(longest) : cell_none(),
               cell_text(report_text(report, "%s", text)));
}

static const struct way *best_of(const struct tuning *t, bool by_need)
{
    const struct way *best = NULL;
    for (int i = 0; i < METHODS; i++) {
        const struct way *way = by_need ? &t->least[i] : &t->fastest[i];
        if (t->any[i] && (!best || is_better(way, best, by_need))) best = way;
    }
    return best;
}

static void note_way(struct report *report, const char *what, const struct way *way)
{
    char text[RK_PLAN_TEXT], size[QUANTITY_TEXT];
    rk_plan_text(&way->plan, text, sizeof text);
    report_note(report,
                report_text(report, "%s: %s, %s with %llu sample%s, %.0f tokens/s per GPU: %s",
                            what, way->method,
                            quantity_format(size, QUANTITY_BYTES, way->need_bytes),
                            (unsigned long long)way->plan.microbatch,
                            way->plan.microbatch == 1 ? "" : "s", way->tokens_per_s, text));
}

/* The verdict of the fastest, which costs least per token on these GPUs, too. */
static void add_verdict(struct report *report, const struct tuning *t, const struct way *way)
{
    struct rk_prediction p;
    const struct forecast f = {
        &t->input->model, system_of(t, &way->plan), &way->plan, &p, "", NULL};
    rk_predict(f.model, f.system, f.plan, &p);
    verdict_of(report,
               report_text(report, "fastest way of fine-tuning: %s, %.0f tokens/s per GPU; ",
                           way->method, way->tokens_per_s),
               &f);
}

static enum sure report_ways(struct report *report, const struct tuning *t)
{
    const struct way *least = best_of(t, true), *fastest = best_of(t, false);
    if (!least) {
        report_answer(report, REPORT_BAD,
                      "does not fit: no way of fine-tuning does; take more or larger GPUs, or "
                      "shorter samples");
        return SURE_NOT;
    }
    note_way(report, "Least memory", least);
    struct report_table *table = REPORT_LIST(
        report, "ways", "Fits of each way of fine-tuning: with least memory, and the fastest",
        REPORT_IN_TEXT | REPORT_IN_JSON | REPORT_IN_CSV, columns);
    for (int i = 0; i < METHODS; i++) {
        if (!t->any[i]) continue;
        add_way(report, table, t, &t->least[i], "least memory");
        add_way(report, table, t, &t->fastest[i], "most tokens/s");
    }
    report_note(
        report,
        report_text(
            report,
            "up to: samples of the largest microbatch that fits. longest: tokens per sample that "
            "fit with a microbatch of 1, in steps of %d. A way fits when its P(fits) is at least "
            "%.3g %% (--sure). A way that offloads is called the "
            "fastest only where it is faster by a tenth.",
            TOKENS_STEP, 100 * t->question->sure.fits));
    return fastest->sure;
}

enum sure fits_tune(struct report *report, const struct fits_question *question,
                    const struct plan_input *input)
{
    struct tuning t = {.question = question, .input = input};
    struct rk_system with_host;
    struct host host;
    struct rk_error none;
    char note[HOST_WORD], tokens[QUANTITY_TEXT];
    if (host_of(&input->system, &host) &&
        host_load(&host, question->line, &with_host, &none) == RK_OK)
        t.host = &with_host;
    report_note(
        report,
        report_text(report, "%s on %s, %llu GPU%s, samples of %s tokens", input->model.id,
                    input->system.id, (unsigned long long)input->draft.plan.ranks,
                    input->draft.plan.ranks == 1 ? "" : "s",
                    whole_format(tokens, input->draft.plan.sequence ? input->draft.plan.sequence
                                                                    : input->model.sequence)));
    if (*input->assumed) report_note(report, report_text(report, "  assumed: %s", input->assumed));
    if (t.host)
        report_note(report,
                    report_text(report, "  offloading to %s, assumed", host_note(&host, note)));
    struct plan_draft chosen = input->draft;
    memset(chosen.words, 0, sizeof chosen.words);
    walk(&t, 0, 0, &chosen);
    const enum sure sure = report_ways(report, &t);
    if (sure != SURE_NOT) add_verdict(report, &t, best_of(&t, false));
    if (t.host) rk_system_release(&with_host);
    return sure;
}
