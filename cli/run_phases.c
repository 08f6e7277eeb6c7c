/* run_phases.c - a run in phases: batches and sequences that grow, a plan for each. */
#include "base/memory.h"
#include "base/units.h"
#include "catalog/plan_fields.h"
#include "cli/run_args.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DAY_S = 86400 };

/* ---- the list ---- */

/* "252M gbs512 seq4096" */
struct phase_said {
    double tokens; /* 0: the rest */
    char words[256];
};

static enum rk_status read_phase(const char *text, struct phase_said *said, struct rk_error *error)
{
    struct units_error problem;
    text += strspn(text, " \t\n");
    const size_t length = strcspn(text, ";");
    const size_t first = strcspn(text, " \t\n;");
    if (length - first >= sizeof said->words)
        return rk_fail(error, RK_BAD_ARGUMENT, NULL, 0, 0,
                       "--phases: more than %zu characters in a phase", sizeof said->words);
    snprintf(said->words, sizeof said->words, "%.*s", (int)(length - first), text + first);
    said->tokens = 0;
    if (first == 4 && strncmp(text, "rest", 4) == 0) return RK_OK;
    if (!quantity_parse(text, first, QUANTITY_COUNT, false, &said->tokens, &problem))
        return rk_fail(error, RK_BAD_ARGUMENT, NULL, 0, 0,
                       "--phases: \"%.*s\": %s; a phase begins with its tokens, 252M, or \"rest\"",
                       (int)first, text, problem.text);
    if (said->tokens > 0) return RK_OK;
    return rk_fail(error, RK_BAD_ARGUMENT, NULL, 0, 0, "--phases: a phase without tokens");
}

static enum rk_status read_phases(const char *text, double tokens, struct phase_said *said,
                                  size_t *count, struct rk_error *error)
{
    double sum = 0;
    struct phase_said *rest = NULL;
    for (*count = 0; *text; ++*count) {
        const size_t length = strcspn(text, ";");
        if (*count == RUN_PHASES)
            return rk_fail(error, RK_BAD_ARGUMENT, NULL, 0, 0, "--phases: more than %d",
                           RUN_PHASES);
        const enum rk_status status = read_phase(text, &said[*count], error);
        if (status != RK_OK) return status;
        if (said[*count].tokens > 0)
            sum += said[*count].tokens;
        else if (rest)
            return rk_fail(error, RK_BAD_ARGUMENT, NULL, 0, 0,
                           "--phases: two phases have the rest");
        else
            rest = &said[*count];
        text += length + (text[length] == ';');
    }
    if (rest && sum < tokens) rest->tokens = tokens - sum;
    if (rest ? sum < tokens : fabs(sum - tokens) <= 1e-6 * tokens) return RK_OK;
    if (rest)
        return rk_fail(
            error, RK_BAD_ARGUMENT, NULL, 0, 0,
            "--phases: %.6g of the run's %.6g tokens leave nothing for the \"rest\": give "
            "the other phases fewer",
            sum, tokens);
    return rk_fail(error, RK_BAD_ARGUMENT, NULL, 0, 0,
                   "--phases: they have %.6g tokens, the run has %.6g: let them add up, or give "
                   "one phase the \"rest\"",
                   sum, tokens);
}

/* ---- plans ---- */

/* The plan with the words of a phase over it. */
static enum rk_status plan_of(const struct rk_plan *plan, const char *words, struct rk_plan *out,
                              struct rk_error *error)
{
    struct plan_draft draft = plan_draft_of(plan);
    struct plan_fault fault;
    const enum rk_status status = plan_read_words(words, &draft, error);
    if (status != RK_OK) return status;
    if (!plan_complete(&draft, &fault)) return plan_fail(&draft, &fault, error);
    *out = draft.plan;
    return RK_OK;
}

static enum rk_status fail_misfit(const struct rk_prediction *prediction, size_t phase,
                                  struct rk_error *error)
{
    return rk_fail(error, RK_BAD_ARGUMENT, NULL, 0, 0,
                   "--phases: the plan of phase %zu cannot run (%s): give it other words, or let "
                   "reckon search find one",
                   phase + 1, rk_verdict_name(prediction->verdict));
}

/* The plan asked about in every phase, but for what the phase says. */
static enum rk_status keep_plan(const struct run_terms *terms, const struct forecast *f,
                                const struct phase_said *said, struct run_phases *phases,
                                struct rk_error *error)
{
    for (size_t i = 0; i < phases->count; i++) {
        struct rk_plan *plan = &phases->plan[i];
        struct rk_prediction *prediction = &phases->prediction[i];
        struct rk_error inner;
        enum rk_status status = plan_of(f->plan, said[i].words, plan, &inner);
        if (status != RK_OK)
            return rk_fail(error, status, NULL, 0, 0, "--phases: phase %zu: %s", i + 1, inner.text);
        rk_predict(f->model, f->system, plan, prediction);
        if (!prediction->timed) return fail_misfit(prediction, i, error);
        const struct forecast own = {f->model, f->system, plan, prediction, "", NULL};
        status = run_campaign(terms, &own, said[i].tokens, &phases->campaign[i],
                              i ? NULL : phases->assumed, error);
        if (status != RK_OK) return status;
        if (i)
            phases->campaign[i].switch_s = rk_campaign_switch_s(&phases->campaign[i - 1], &plan[-1],
                                                                &phases->campaign[i], plan);
    }
    return RK_OK;
}

/* ---- plans that are searched for ---- */

/* The best plan of each phase, in the batch and the sequence of every phase. */
struct candidates {
    size_t count;
    struct candidate {
        struct rk_plan plan;
        struct rk_prediction prediction;
        struct rk_campaign campaign;
    } * of; /* [phase * count + whose plan] */
};

static double switch_of(void *context, size_t phase, size_t from, size_t to)
{
    const struct candidates *all = context;
    const struct candidate *a = &all->of[(phase - 1) * all->count + from];
    const struct candidate *b = &all->of[phase * all->count + to];
    return rk_campaign_switch_s(&a->campaign, &a->plan, &b->campaign, &b->plan);
}

/* Batch and sequence; in a search every other word is an axis of its own. */
static enum rk_status size_of(const struct rk_plans_problem *space, const char *words,
                              struct rk_plans_problem *out, struct rk_error *error)
{
    struct plan_draft draft = plan_draft();
    const enum rk_status status = plan_read_words(words, &draft, error);
    if (status != RK_OK) return status;
    for (int row = 0; plan_fields[row].key; row++)
        if (draft.given[row] && row != plan_row("batch") && row != plan_row("sequence"))
            return rk_fail(error, RK_BAD_ARGUMENT, NULL, 0, 0,
                           "--phases: in a search a phase says its batch (gbs) and its sequence "
                           "(seq); \"%s\" is found by the search",
                           plan_fields[row].word);
    *out = *space;
    if (plan_given(&draft, "batch")) out->base.batch = draft.plan.batch;
    if (plan_given(&draft, "sequence")) out->base.sequence = draft.plan.sequence;
    return RK_OK;
}

/* Is it the batch and the sequence that the search is about? */
static bool is_asked(const struct rk_plans_problem *phase, const struct rk_plan *plan)
{
    const uint64_t usual = phase->model->sequence, own = phase->base.sequence;
    return phase->base.batch == plan->batch &&
           (own ? own : usual) == (plan->sequence ? plan->sequence : usual);
}

static enum rk_status search_phase(const struct run_terms *terms,
                                   const struct rk_plans_problem *problem, size_t phase,
                                   const struct forecast *f, struct rk_plan *plan,
                                   struct rk_error *error)
{
    const struct rk_aim aim = {.threads = 0};
    struct rk_found found;
    const bool asked = is_asked(problem, f->plan);
    if (asked || (terms->share && terms->share->found[phase])) {
        *plan = asked ? *f->plan : terms->share->best[phase];
        return RK_OK;
    }
    if (!rk_find(problem, &aim, &found))
        return rk_fail(error, RK_BAD_ARGUMENT, NULL, 0, 0, "--phases: no plan fits phase %zu",
                       phase + 1);
    *plan = found.plan;
    return RK_OK;
}

static enum rk_status fill_candidates(const struct run_terms *terms, const struct forecast *f,
                                      const struct phase_said *said, struct candidates *all,
                                      struct run_phases *phases, struct rk_error *error)
{
    struct rk_plans_problem problem[RUN_PHASES];
    struct rk_plan best[RUN_PHASES];
    bool noted = false;
    enum rk_status status = RK_OK;
    for (size_t i = 0; i < all->count && status == RK_OK; i++) {
        status = size_of(terms->space, said[i].words, &problem[i], error);
        if (status == RK_OK) status = search_phase(terms, &problem[i], i, f, &best[i], error);
    }
    for (size_t i = 0; i < all->count * all->count && status == RK_OK; i++) {
        const size_t phase = i / all->count;
        struct candidate *c = &all->of[i];
        c->plan = best[i % all->count];
        c->plan.batch = problem[phase].base.batch;
        c->plan.sequence = problem[phase].base.sequence;
        c->campaign = (struct rk_campaign){.step_s = 0};
        if (rk_predict(f->model, f->system, &c->plan, &c->prediction) != RK_FITS ||
            !c->prediction.timed)
            continue;
        const struct forecast own = {f->model, f->system, &c->plan, &c->prediction, "", NULL};
        status = run_campaign(terms, &own, said[phase].tokens, &c->campaign,
                              noted ? NULL : phases->assumed, error);
        noted = true;
    }
    return status;
}

static enum rk_status search_plans(const struct run_terms *terms, const struct forecast *f,
                                   const struct phase_said *said, struct run_phases *phases,
                                   struct rk_error *error)
{
    const size_t count = phases->count;
    struct candidates all = {count, calloc(count * count, sizeof *all.of)};
    struct rk_campaign *campaigns = calloc(count * count, sizeof *campaigns);
    size_t choice[RUN_PHASES];
    enum rk_status status = RK_OK;
    if (!all.of || !campaigns) status = no_memory(error);
    if (status == RK_OK) status = fill_candidates(terms, f, said, &all, phases, error);
    for (size_t i = 0; i < count * count && status == RK_OK; i++)
        campaigns[i] = all.of[i].campaign;
    if (status == RK_OK && !rk_campaign_choose(campaigns, count, count, switch_of, &all, choice))
        status = rk_fail(error, RK_BAD_ARGUMENT, NULL, 0, 0, "--phases: no plan fits all of them");
    for (size_t i = 0; i < count && status == RK_OK; i++) {
        const struct candidate *c = &all.of[i * count + choice[i]];
        phases->plan[i] = c->plan;
        phases->prediction[i] = c->prediction;
        phases->campaign[i] = c->campaign;
        if (i) phases->campaign[i].switch_s = switch_of(&all, i, choice[i - 1], choice[i]);
    }
    free(campaigns);
    free(all.of);
    return status;
}

static enum rk_status fill_phases(const struct run_terms *terms, const struct forecast *f,
                                  struct run_phases *phases, struct rk_error *error)
{
    struct phase_said said[RUN_PHASES] = {{.words = ""}};
    const char *source = NULL;
    double tokens = 0;
    phases->count = 1;
    enum rk_status status =
        rk_run_tokens(terms->facts, &terms->run, f->model, &tokens, &source, error);
    said[0].tokens = tokens;
    phases->assumed[0] = '\0';
    if (status == RK_OK && source)
        snprintf(phases->assumed, sizeof phases->assumed, "tokens %.4g: %s", tokens, source);
    if (status == RK_OK && terms->args->phases)
        status = read_phases(terms->args->phases, tokens, said, &phases->count, error);
    if (status != RK_OK) return status;
    return (terms->space && terms->args->phases ? search_plans : keep_plan)(terms, f, said, phases,
                                                                            error);
}

struct run_phases *run_phases_open(const struct run_terms *terms, const struct forecast *f,
                                   struct rk_error *error)
{
    struct run_phases *phases = calloc(1, sizeof *phases);
    if (!phases)
        no_memory(error);
    else if (fill_phases(terms, f, phases, error) == RK_OK)
        return phases;
    free(phases);
    return NULL;
}

/* ---- for every plan of a search ---- */

static void add_sums(struct run_sums *sums, const struct rk_campaign *c)
{
    struct rk_campaign_outcome o;
    rk_campaign_expect(c, &o);
    sums->days += o.total_s / DAY_S;
    sums->gpu_hours += o.gpu_hours;
    sums->cost += o.cost;
}

/* A phase that is not asked about, under its best plan; a change of plan comes with it. */
static enum rk_status add_other(const struct run_terms *terms,
                                const struct rk_plans_problem *problem, size_t phase, double tokens,
                                struct run_share *share, struct rk_error *error)
{
    const struct rk_aim aim = {.threads = 0};
    struct rk_found found;
    struct rk_prediction prediction;
    struct rk_campaign campaign;
    if (!rk_find(problem, &aim, &found))
        return rk_fail(error, RK_BAD_ARGUMENT, NULL, 0, 0, "--phases: no plan fits phase %zu",
                       phase + 1);
    rk_predict(problem->model, problem->system, &found.plan, &prediction);
    const struct forecast f = {problem->model, problem->system, &found.plan, &prediction, "", NULL};
    const enum rk_status status = run_campaign(terms, &f, tokens, &campaign, NULL, error);
    if (status != RK_OK) return status;
    campaign.switch_s =
        campaign.recovery.restart_s + 2 * campaign.checkpoint_bytes / campaign.recovery.storage_Bps;
    add_sums(&share->others, &campaign);
    share->best[phase] = found.plan;
    share->found[phase] = true;
    return RK_OK;
}

enum rk_status run_share(const struct run_terms *terms, struct run_share *share,
                         struct rk_error *error)
{
    const struct rk_plans_problem *space = terms->space;
    struct phase_said said[RUN_PHASES] = {{.words = ""}};
    struct rk_prediction second = {.verdict = RK_FITS, .timed = true};
    struct run_args waiting = *terms->args; /* which plan for fewer GPUs depends on the plan */
    const struct run_terms own = {.args = &waiting, .run = terms->run, .facts = terms->facts};
    size_t count = 1;
    double asked = 0;
    waiting.elastic = false;
    second.step_s = 1;
    *share = (struct run_share){.tokens = 0};
    enum rk_status status =
        rk_run_tokens(terms->facts, &terms->run, space->model, &said[0].tokens, NULL, error);
    if (status == RK_OK && !own.run.has_spares) share->tokens = said[0].tokens;
    if (status == RK_OK && waiting.phases)
        status = read_phases(waiting.phases, said[0].tokens, said, &count, error);
    for (size_t i = 0; i < count && status == RK_OK; i++) {
        struct rk_plans_problem problem;
        status = size_of(space, said[i].words, &problem, error);
        if (status != RK_OK) break;
        if (is_asked(&problem, &space->base))
            asked += said[i].tokens;
        else
            status = add_other(&own, &problem, i, said[i].tokens, share, error);
    }
    if (status == RK_OK && count > 1 && !(asked > 0))
        status = rk_fail(error, RK_BAD_ARGUMENT, NULL, 0, 0,
                         "--phases: none has the batch %llu and the sequence that the search is "
                         "about: give --batch and --sequence of one of them",
                         (unsigned long long)space->base.batch);
    if (status != RK_OK) return status;
    const struct forecast f = {space->model, space->system, &space->base, &second, "", NULL};
    status = run_campaign(&own, &f, asked, &share->asked, NULL, error);
    if (status == RK_OK) add_sums(&share->of_a_second, &share->asked);
    return status;
}

struct run_sums run_sums_of(const struct run_share *share, double step_s)
{
    struct run_sums sums = share->others;
    struct rk_campaign own = share->asked;
    if (!(share->of_a_second.days > 0)) return sums;
    own.step_s *= step_s;
    own.step_usd *= step_s;
    if (share->tokens > 0) run_keep_spares(&own, share->tokens);
    add_sums(&sums, &own);
    return sums;
}
