/* fits_tune.c - `reckon fits --tune`: over the ways of fine-tuning, what fits. */
#include "base/units.h"
#include "catalog/hosts.h"
#include "cli/fits.h"
#include "cli/verdict.h"

#include <reckon/lengths.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    METHODS = 5,
    MOST_MICROBATCH = 256,
    TOKENS_STEP = 512,
    MOST_TOKENS = 1 << 20,
    DAY_S = 86400
};

/* One choice of each list makes a way; everything else of its plan is searched. Nothing is tried of
 * a list whose key was said. */
struct choice {
    const char *name, *words;
};
/* clang-format off */
static const struct choice methods[] = {
    {"full",       ""},
    {"full, bf16", "weight-bytes=2 gradient-bytes=2 moment1-bytes=2 moment2-bytes=2"},
    {"full, 8-bit Adam", "weight-bytes=2 gradient-bytes=2 optimizer=adam-8bit embedding-fp32"},
    {"LoRA",       "lora=16"},
    {"QLoRA",      "lora=16 base=nf4-dq"},
}, losses[] = {
    {"", "no-loss-in-chunks"},
    {"", "loss-in-chunks"},
}, pagings[] = {
    {"", ""},
    {"", "optimizer-paged"},
};
static const struct list {
    const char *keys[6];
    const struct choice *choice;
    int count;
} lists[] = {
    {{"lora", "base", "frozen", "optimizer", "weight_element_bytes", NULL}, methods, METHODS},
    {{"loss_in_chunks", "loss", NULL}, losses, 2},
    {{"optimizer_offload", "weight_offload", "optimizer_paged", NULL}, pagings, 2},
};
/* clang-format on */
enum { LISTS = sizeof lists / sizeof *lists };

struct way {
    const char *method;
    struct rk_plan plan;
    enum rk_sure sure;
    double need_bytes, tokens_per_s; /* tokens: per GPU */
};

struct tuning {
    const struct fits_question *question;
    const struct plan_input *input;
    const struct rk_system *host;    /* with the nodes' memory; NULL: not known */
    const struct rk_lengths *padded; /* samples that each microbatch pads; NULL: none */
    struct way least[METHODS], fastest[METHODS];
    uint64_t most[METHODS];      /* samples of a microbatch that surely fits; 0: none does */
    struct way nearest[METHODS]; /* of those that do not fit; method NULL: there are none */
    double over[METHODS];        /* its need over what there is */
};

static bool is_said(const struct plan_draft *draft, const struct list *list)
{
    for (const char *const *key = list->keys; *key; key++)
        if (plan_given(draft, *key)) return true;
    return false;
}

/* As search: with the memory of the nodes. */
static const struct rk_system *searched(const struct tuning *t)
{
    return t->host ? t->host : &t->input->system;
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
static enum rk_sure sure_of_plan(const struct tuning *t, struct rk_plan *plan,
                                 struct rk_prediction *p)
{
    const struct rk_system *system = system_of(t, plan);
    if (t->padded) plan_pad(plan, t->padded);
    rk_predict(&t->input->model, system, plan, p);
    const struct forecast f = {&t->input->model, system, plan, p, "", NULL};
    return verdict_sure(&f, &t->question->sure);
}

/* The longest sample that surely fits, a multiple of TOKENS_STEP: memory grows with it. */
static uint64_t longest_of(const struct tuning *all, struct rk_plan plan)
{
    struct tuning full = *all, *t = &full; /* samples of this length alone */
    full.padded = NULL;
    plan.padded = 0;
    struct rk_prediction p;
    uint64_t fits = 0, fails = MOST_TOKENS / TOKENS_STEP + 1;
    plan.microbatch = 1;
    if (!plan_given(&t->input->draft, "batch")) plan.batch = rk_plan_data(&plan);
    while (fails - fits > 1) {
        const uint64_t middle = (fits + fails) / 2;
        plan.sequence = middle * TOKENS_STEP;
        *(sure_of_plan(t, &plan, &p) == RK_SURE_FITS ? &fits : &fails) = middle;
    }
    return fits * TOKENS_STEP;
}

/* For the choice alone: samples, where microbatches pad them to tokens of their own. */
static double speed_of(const struct way *way)
{
    return way->tokens_per_s / (way->plan.padded ? (double)way->plan.padded : 1);
}

/* As a search has it: a sure way is better than one that is not, then the faster one; or the one
 * that needs less. */
static bool is_better(const struct way *a, const struct way *b, bool by_need)
{
    if (a->sure != b->sure) return a->sure < b->sure;
    if (by_need) return a->need_bytes < b->need_bytes;
    return speed_of(a) > speed_of(b);
}

/* The reason that a plan is furthest from, and by how much its need is over what there is: 1 where
 * only its P(fits) is too small, INFINITY where it cannot run for another reason than memory. */
static int worst_reason(const struct rk_prediction *p, double *over)
{
    int worst = 0;
    *over = p->verdict == RK_FITS ? 1 : 0;
    for (int i = 0; i < p->reasons && i < RK_MAX_REASONS; i++) {
        const struct rk_reason *r = &p->reason[i];
        const bool memory = r->verdict == RK_MEMORY_EXCEEDED && r->have > 0;
        const double by = memory ? r->need / r->have : (double)INFINITY;
        if (by > *over) worst = i;
        *over = fmax(*over, by);
    }
    return worst;
}

static void note_miss(struct tuning *t, int method, const struct way *way,
                      const struct rk_prediction *p)
{
    double over;
    worst_reason(p, &over);
    if (t->nearest[method].method && over >= t->over[method]) return;
    t->nearest[method] = *way;
    t->over[method] = over;
}

/* Everything that the draft leaves open, with this microbatch; 0: that is open, too. */
static void ask(const struct tuning *t, const struct plan_draft *draft, uint64_t microbatch,
                struct rk_plans_problem *problem)
{
    struct plan_draft at = *draft;
    if (microbatch) {
        at.plan.microbatch = microbatch;
        at.given[plan_row("microbatch")] = true;
    }
    if (!plan_given(draft, "batch")) at.plan.batch = at.plan.microbatch * rk_plan_data(&at.plan);
    at.given[plan_row("batch")] = true;
    fits_ask(t->input, &at, problem);
    problem->system = searched(t);
    if (t->padded) plan_pad(&problem->base, t->padded);
}

/* Notes the way if it is better than those before it, or a miss. */
static enum rk_sure weigh(struct tuning *t, int method, const struct rk_plan *plan, bool by_need)
{
    struct rk_prediction p;
    struct way way = {.method = methods[method].name, .plan = *plan};
    struct way *best = by_need ? &t->least[method] : &t->fastest[method];
    if (is_said(&t->input->draft, &lists[0])) way.method = "as given";
    way.sure = sure_of_plan(t, &way.plan, &p);
    if (p.timed) way.need_bytes = p.stage[p.tightest].total_bytes;
    way.tokens_per_s = p.tokens_per_s / (double)plan->ranks;
    if (way.sure == RK_SURE_NOT)
        note_miss(t, method, &way, &p);
    else if (!best->method || is_better(&way, best, by_need))
        *best = way;
    if (way.sure == RK_SURE_FITS && plan->microbatch > t->most[method])
        t->most[method] = plan->microbatch;
    return way.sure;
}

/* What a search finds for the draft: the fastest of each microbatch, doubled while one surely fits,
 * or of all that divide a batch that is given; and the plan of least memory. */
static void search(struct tuning *t, int method, const struct plan_draft *draft)
{
    struct rk_plans_problem problem;
    struct rk_choice choice;
    struct rk_found found;
    struct rk_miss missed[RK_MISSES];
    const struct rk_aim fastest = {.room = t->question->room}, least = {.sort = "hbm_bytes"},
                        most = {.room = fastest.room, .sort = "-microbatch"};
    const bool grows =
        !plan_given(draft, "microbatch") && (t->padded || !plan_given(draft, "batch"));
    for (uint64_t microbatch = grows; microbatch <= MOST_MICROBATCH; microbatch *= 2) {
        ask(t, draft, microbatch, &problem);
        if (!rk_choose(&problem, &fastest, &choice)) break;
        if (weigh(t, method, &choice.plan, false) != RK_SURE_FITS || !grows) break;
    }
    ask(t, draft, grows, &problem);
    if (rk_find(&problem, &least, &found))
        weigh(t, method, &found.plan, true);
    else if (searched(t)->memories > 1 &&
             rk_misses(&problem, &least, RK_LIMIT_MEMORY, 1, missed) > 0)
        weigh(t, method, &missed[0].found.plan, true);
    if (!grows && rk_find(&problem, &most, &found)) weigh(t, method, &found.plan, true);
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
        if (!chosen->plan.optimizer_paged || searched(t)->memories > 1) search(t, method, chosen);
        return;
    }
    const bool said = is_said(&t->input->draft, &lists[list]);
    for (int i = 0; i < (said ? 1 : lists[list].count); i++) {
        struct plan_draft draft = *chosen;
        struct rk_error none;
        if (!said && plan_read_words(lists[list].choice[i].words, &draft, &none) != RK_OK) continue;
        if (!said && is_unscalable(&draft.plan)) continue;
        draft.plan.ranks = chosen->plan.ranks;
        walk(t, list + 1, list == 0 ? i : method, &draft);
    }
}

static void walk_all(struct tuning *t)
{
    struct plan_draft chosen = t->input->draft;
    memset(chosen.words, 0, sizeof chosen.words);
    walk(t, 0, 0, &chosen);
}

/* ---- what is printed ---- */

/* clang-format off */
#define WAY_COLUMNS \
    {.name = "method"}, \
    {.name = "best_in", .title = "has the"}, \
    {.name = "fits"}, \
    {.name = "need_bytes",   .title = "need",  .unit = "B", .digits = 2}, \
    {.name = "microbatch",   .title = "samples"}, \
    {.name = "most_samples", .title = "up to"}, \
    {.name = "tokens_per_s", .title = "tokens/s/GPU", .digits = 1}, \
    {.name = "longest",      .title = "longest"},
static const struct report_column columns[] = {
    WAY_COLUMNS
    {.name = "plan_words", .title = "plan"},
}, run_columns[] = {
    WAY_COLUMNS
    {.name = "days",     .digits = 4},
    {.name = "cost_usd", .title = "cost in USD", .unit = "n", .digits = 3},
    {.name = "plan_words", .title = "plan"},
};
/* clang-format on */
enum { WAY_CELLS = 8, RUN_CELLS = 2 };

static struct forecast forecast_way(const struct tuning *t, const struct way *way,
                                    struct rk_prediction *p)
{
    rk_predict(&t->input->model, system_of(t, &way->plan), &way->plan, p);
    return (struct forecast){&t->input->model,  system_of(t, &way->plan), &way->plan, p,
                             t->input->assumed, &t->question->sure};
}

/* Is a whole run asked about? */
static bool runs(const struct tuning *t)
{
    return t->question->run->tokens || t->question->run->samples;
}

/* Days and cost of the run. */
static enum rk_status take_run(const struct tuning *t, const struct way *way,
                               struct report_cell cells[static RUN_CELLS], struct rk_error *error)
{
    struct rk_prediction p;
    struct rk_campaign_outcome outcome;
    struct run_args own;
    struct run_terms terms = {.facts = NULL};
    const struct forecast f = forecast_way(t, way, &p);
    enum rk_status status =
        run_take_samples(t->question->run, f.model, f.plan, t->input->pack_tokens, &own, error);
    if (status == RK_OK) status = run_terms_open(&terms, &own, error);
    struct run_phases *phases = status == RK_OK ? run_phases_open(&terms, &f, error) : NULL;
    run_terms_close(&terms);
    if (!phases) return error->status;
    rk_campaign_expect_phases(phases->campaign, phases->count, &outcome);
    cells[0] = cell_number(outcome.total_s / DAY_S);
    cells[1] = outcome.cost > 0 ? cell_number(outcome.cost) : cell_none();
    free(phases);
    return RK_OK;
}

static enum rk_status add_way(struct report *report, struct report_table *table,
                              const struct tuning *t, int method, const struct way *way,
                              const char *best_in, struct rk_error *error)
{
    char text[RK_PLAN_TEXT];
    rk_plan_text(&way->plan, text, sizeof text);
    const uint64_t most = t->most[method];
    const uint64_t longest = way->sure == RK_SURE_FITS ? longest_of(t, way->plan) : 0;
    struct report_cell cells[WAY_CELLS + RUN_CELLS + 1] = {cell_text(way->method),
                                                           cell_text(best_in),
                                                           cell_text(rk_sure_name(way->sure)),
                                                           cell_number(way->need_bytes),
                                                           cell_count(way->plan.microbatch),
                                                           most ? cell_count(most) : cell_none(),
                                                           cell_number(way->tokens_per_s),
                                                           longest ? cell_count(longest)
                                                                   : cell_none()};
    const enum rk_status status = runs(t) ? take_run(t, way, &cells[WAY_CELLS], error) : RK_OK;
    cells[WAY_CELLS + (runs(t) ? RUN_CELLS : 0)] = cell_text(report_text(report, "%s", text));
    report_row(report, table, cells);
    return status;
}

/* A method of which no way fits, with the nearest and what it lacks. */
static void add_miss(struct report *report, struct report_table *table, const struct tuning *t,
                     const struct way *way)
{
    struct rk_prediction p;
    char words[RK_PLAN_TEXT];
    if (!way->method) return; /* nothing of it can be tried here */
    const struct forecast f = forecast_way(t, way, &p);
    double over;
    const char *reason = forecast_reason(report, &f, worst_reason(&p, &over));
    rk_plan_text(&way->plan, words, sizeof words);
    struct report_cell cells[WAY_CELLS + RUN_CELLS + 1] = {
        cell_text(way->method), cell_text("nearest"), cell_text(rk_sure_name(RK_SURE_NOT)),
        p.stages > 0 ? cell_number(p.stage[p.tightest].total_bytes) : cell_none(),
        cell_count(way->plan.microbatch)};
    for (int i = 5; i < WAY_CELLS + RUN_CELLS; i++)
        cells[i] = cell_none();
    cells[WAY_CELLS + (runs(t) ? RUN_CELLS : 0)] = cell_text(report_text(report, "%s", words));
    report_row(report, table, cells);
    report_note(report, report_text(report, "%s does not fit: %s.", way->method,
                                    reason ? reason : "its P(fits) is too small"));
}

/* Is there a plan of it that fits, surely or not? */
static bool has_way(const struct tuning *t, int method)
{
    return t->fastest[method].method && t->least[method].method;
}

static const struct way *best_of(const struct tuning *t, bool by_need)
{
    const struct way *best = NULL;
    for (int i = 0; i < METHODS; i++) {
        const struct way *way = by_need ? &t->least[i] : &t->fastest[i];
        if (has_way(t, i) && (!best || is_better(way, best, by_need))) best = way;
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

/* The verdict of the fastest, which costs least per token on these GPUs, too; and what of it no
 * measured run had. */
static void add_fastest(struct report *report, const struct tuning *t, const struct way *way,
                        const struct forecast *f)
{
    verdict_of(report,
               report_text(report, "fastest way of fine-tuning: %s, %.0f tokens/s per GPU; ",
                           way->method, way->tokens_per_s),
               f);
    fits_verdict(report, t->question, f);
    REPORT_OBJECT(report, NULL, {"method", cell_text(way->method)});
    forecast_warnings(report, f);
}

static enum rk_status report_ways(struct report *report, const struct tuning *t,
                                  struct rk_error *error)
{
    struct report_table *table = report_list(
        report, "ways", "Fits of each way of fine-tuning: with least memory, and the fastest",
        REPORT_IN_TEXT | REPORT_IN_JSON | REPORT_IN_CSV, runs(t) ? run_columns : columns,
        WAY_CELLS + (runs(t) ? RUN_CELLS : 0) + 1);
    enum rk_status status = RK_OK;
    for (int i = 0; i < METHODS && status == RK_OK; i++) {
        if (!has_way(t, i)) add_miss(report, table, t, &t->nearest[i]);
        if (!has_way(t, i)) continue;
        status = add_way(report, table, t, i, &t->least[i], "least memory", error);
        if (status == RK_OK)
            status = add_way(report, table, t, i, &t->fastest[i], "most tokens/s", error);
    }
    report_note(
        report,
        report_text(
            report,
            "up to: samples of the largest microbatch that fits. longest: tokens per sample that "
            "fit with a microbatch of 1, in steps of %d. A way fits when its P(fits) is at least "
            "%.3g %% (--sure). Plans may offload to the memory of the nodes.",
            TOKENS_STEP, 100 * t->question->sure.fits));
    return status;
}

/* All of the answer, of which the plan of the first line is saved. */
static enum rk_status answer(struct report *report, const struct tuning *t, enum rk_sure *sure,
                             struct rk_error *error)
{
    const struct way *least = best_of(t, true), *fastest = best_of(t, false);
    struct run_args run;
    struct rk_prediction p;
    if (!least) {
        report_answer(report, REPORT_BAD,
                      "does not fit: no way of fine-tuning does; take more or larger GPUs, or "
                      "shorter samples");
        report_paragraph(report, report_text(report, "assumed: %s", t->input->assumed));
        return RK_OK;
    }
    const struct forecast f = forecast_way(t, fastest, &p);
    const struct save_answer saved = {f.model, f.system, f.plan, &run};
    enum rk_status status =
        run_take_samples(t->question->run, f.model, f.plan, t->input->pack_tokens, &run, error);
    if (status == RK_OK) status = save_files(t->question->save, &saved, error);
    *sure = fastest->sure;
    if (status != RK_OK) return status;
    add_fastest(report, t, fastest, &f);
    note_way(report, "Least memory", least);
    status = report_ways(report, t, error);
    return status == RK_OK ? run_section(report, &run, &f, NULL, NULL, error) : status;
}

/* What is asked about. */
static void say_question(struct report *report, const struct plan_input *input)
{
    char tokens[QUANTITY_TEXT];
    report_note(
        report,
        report_text(report, "%s on %s, %llu GPU%s, samples of %s tokens", input->model.id,
                    input->system.id, (unsigned long long)input->draft.plan.ranks,
                    input->draft.plan.ranks == 1 ? "" : "s",
                    whole_format(tokens, input->draft.plan.sequence ? input->draft.plan.sequence
                                                                    : input->model.sequence)));
}

enum rk_status fits_tune(struct report *report, const struct fits_question *question,
                         struct plan_input *input, enum rk_sure *sure, struct rk_error *error)
{
    const struct way *fastest;
    struct tuning t = {.question = question, .input = input};
    struct rk_system with_host;
    struct host host;
    struct rk_lengths lengths = {.rows = 0};
    struct rk_error none;
    char note[HOST_WORD];
    *sure = RK_SURE_NOT;
    host_join(question->line, &input->system, input->draft.plan.ranks, &with_host, &none);
    if (*with_host.id && host_of(&input->system, input->draft.plan.ranks, &host))
        t.host = &with_host;
    say_question(report, input);
    if (t.host)
        report_note(report,
                    report_text(report, "  offloading to %s, assumed", host_note(&host, note)));
    enum rk_status status = runs(&t) ? RK_OK : run_check(question->run, error);
    if (status == RK_OK && question->lengths && input->draft.plan.padded) {
        status = rk_lengths_load(question->lengths, &lengths, error);
        rk_lengths_cut(&lengths, (double)input->draft.plan.sequence);
        t.padded = &lengths;
    }
    if (status == RK_OK) walk_all(&t);
    if ((fastest = best_of(&t, false))) plan_assume_reference(input, &fastest->plan);
    if (status == RK_OK) status = answer(report, &t, sure, error);
    rk_lengths_release(&lengths);
    if (t.host) rk_system_release(&with_host);
    return status;
}
