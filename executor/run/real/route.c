/* route.c - which experts a token goes to, and with which weights.
 *
 * Scores are a softmax over all experts, or a sigmoid of each [deepseek2024v3]. The k best are
 * taken, of the best groups alone where the model has groups; biases, which nothing but the choice
 * reads, move by the load of a whole step, so that no loss is needed [wang2024auxfree].
 *
 * What tokens of a sample share is independent of the plan, since all ranks that have some of them
 * tell each other what they chose: an expert's capacity, which is filled in the order of tokens, as
 * in a group of one sample [lepikhin2020], and the loss that balances experts, sample by sample
 * [deepseek2024v3, 2.1.2]:
 *
 *     sum over experts of  balance * load * mean score,   load = chosen / (tokens k / experts)
 */
#include "run/real/mixture.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- scores ---- */

static bool is_sigmoid(const struct job *job)
{
    const enum rk_scores scores = job->settings.scores;
    return scores == RK_SCORES_SIGMOID ||
           (scores == RK_SCORES_OF_MODEL && job->model.router_biases &&
            !job->settings.arithmetic.routers_add);
}

static void soften(size_t n, real *x)
{
    real most = x[0], sum = 0;
    for (size_t i = 1; i < n; i++)
        most = x[i] > most ? x[i] : most;
    for (size_t i = 0; i < n; i++)
        sum += x[i] = (real)exp((double)(x[i] - most));
    for (size_t i = 0; i < n; i++)
        x[i] /= sum;
}

static void squash(size_t n, real *x)
{
    for (size_t i = 0; i < n; i++)
        x[i] = (real)(1 / (1 + exp(-(double)x[i])));
}

/* Through the scores: softmax p (d - sum of p d), sigmoid p (1 - p) d. */
static void unscore(bool sigmoid, size_t n, const real *p, const real *d, real *dx)
{
    real total = 0;
    for (size_t x = 0; x < n; x++)
        total += p[x] * d[x];
    for (size_t x = 0; x < n; x++)
        dx[x] = sigmoid ? p[x] * (1 - p[x]) * d[x] : p[x] * (d[x] - total);
}

/* ---- the choice ---- */

/* The largest `count` of `n`, ties by index. */
static void best_of(size_t n, const real *value, size_t count, uint32_t *chosen)
{
    for (size_t k = 0; k < count; k++) {
        uint32_t best = UINT32_MAX;
        for (uint32_t i = 0; i < n; i++) {
            bool taken = false;
            for (size_t j = 0; j < k; j++)
                taken |= chosen[j] == i;
            if (!taken && (best == UINT32_MAX || value[i] > value[best])) best = i;
        }
        chosen[k] = best;
    }
}

/* A group is as good as its best expert, or, with biases, as the sum of its two best. */
static real worth_of_group(bool two, size_t size, const real *value)
{
    real first = value[0], second = 0;
    for (size_t i = 1; i < size; i++) {
        second = i == 1 || value[i] > second ? value[i] : second;
        if (second > first) {
            const real swap = first;
            first = second;
            second = swap;
        }
    }
    return two ? first + second : first;
}

/* Experts outside the best groups lose their value. */
static void limit_groups(const struct rk_model *model, real *value, real *worth, uint32_t *best)
{
    const size_t groups = model->expert_groups, size = model->experts / groups;
    for (size_t g = 0; g < groups; g++)
        worth[g] = worth_of_group(model->router_biases, size, value + g * size);
    best_of(groups, worth, model->active_groups, best);
    for (size_t g = 0; g < groups; g++) {
        bool stays = false;
        for (size_t i = 0; i < model->active_groups; i++)
            stays |= best[i] == g;
        for (size_t i = 0; i < size && !stays; i++)
            value[g * size + i] = -INFINITY;
    }
}

void choose_experts(const struct rk_model *model, const real *p, const real *bias,
                    const struct REAL(choosing) * room, uint32_t *chosen)
{
    real *value = room->value;
    for (size_t x = 0; x < model->experts; x++)
        value[x] = p[x] + (bias ? bias[x] : 0);
    if (model->active_groups) limit_groups(model, value, room->worth, room->best);
    best_of(model->experts, value, model->active_experts, chosen);
}

/* ---- what all tokens of a sample chose ---- */

/* Where a row of the whole microbatch lies among its tokens, sample by sample. */
static size_t place_of_row(const struct engine *e, size_t row, size_t mb)
{
    return row / e->local * e->job->sequence + e->position[mb * e->rows + row];
}

static uint32_t *take_words(struct engine *e, size_t n)
{
    return (uint32_t *)take(e, (n * sizeof(uint32_t) + sizeof(real) - 1) / sizeof(real));
}

static void tell(struct engine *e, const struct comm_group *g, const uint32_t *own, uint32_t *all,
                 size_t words)
{
    const struct stretch begin = talk_begin(e);
    if (!comm_all_gather(e->comm, g, "routes", own, all, words * sizeof *own)) give_up(e);
    stretch_end(e, begin);
}

/* (samples, sequence, k): experts of each token. */
static uint32_t *choices_of_samples(struct engine *e, const struct mixture_state *m, size_t mb)
{
    const size_t line = 1 + m->k, own = m->n * line, t = own * (size_t)e->tensor.ranks;
    const size_t tokens = e->batch * e->job->sequence;
    uint32_t *mine = take_words(e, own), *part = take_words(e, t);
    uint32_t *all = take_words(e, tokens * line), *choice = take_words(e, tokens * m->k);
    for (size_t i = 0; !COUNTS && i < m->n; i++) {
        const size_t row = (size_t)e->tensor.me * m->n + i;
        mine[i * line] = (uint32_t)place_of_row(e, row, mb);
        memcpy(mine + i * line + 1, m->expert + i * m->k, m->k * sizeof *mine);
    }
    tell(e, &e->tensor, mine, part, own);
    tell(e, &e->context, part, all, t);
    for (size_t i = 0; COUNTS && i < tokens * m->k; i++)
        choice[i] = (uint32_t)(i % m->experts);
    for (size_t i = 0; !COUNTS && i < tokens; i++)
        memcpy(choice + all[i * line] * m->k, all + i * line + 1, m->k * sizeof *choice);
    give(e, (real *)mine);
    give(e, (real *)part);
    give(e, (real *)all);
    return choice;
}

/* Of each sample an expert takes the first copies of tokens up to its capacity. */
static void drop_over_capacity(struct engine *e, struct mixture_state *m, uint32_t *choice,
                               size_t mb)
{
    const size_t tokens = e->job->sequence, copies = tokens * m->k;
    const double room = e->plan->capacity_factor * (double)copies / (double)m->experts;
    uint32_t *taken = SCRATCH(e, uint32_t, m->experts);
    for (size_t s = 0; s < e->batch; s++) {
        memset(taken, 0, m->experts * sizeof *taken);
        for (size_t i = s * copies; i < (s + 1) * copies; i++)
            if (taken[choice[i]]++ >= ceil(room)) choice[i] = NO_ROW;
    }
    for (size_t i = 0; i < m->n * m->k; i++) {
        const size_t row = (size_t)e->tensor.me * m->n + i / m->k;
        if (choice[place_of_row(e, row, mb) * m->k + i % m->k] == NO_ROW) m->row[i] = NO_ROW;
    }
}

/* Copies of a rank's tokens that are not over the capacity. */
static size_t kept_of(const struct engine *e, const struct mixture_state *m, const uint32_t *choice,
                      uint64_t rank)
{
    const struct local_part *part = &e->job->local[e->at];
    const uint64_t context = rank_position(&part->map, RANKS_OF_CONTEXT, rank);
    const size_t first = rank_position(&part->map, RANKS_OF_TENSOR, rank) * m->n;
    struct run_span span[2];
    const int spans = REAL(context_spans)(part, e->job->sequence, (uint32_t)context, span);
    size_t kept = 0;
    for (size_t row = first; row < first + m->n; row++) {
        const uint32_t at = (uint32_t)(row % e->local);
        const struct run_span s = span[spans > 1 && at >= span[1].at];
        const size_t token = row / e->local * e->job->sequence + s.position + (at - s.at);
        for (size_t k = 0; k < m->k; k++)
            kept += choice[token * m->k + k] != NO_ROW;
    }
    return kept;
}

/* Where memory is counted; NULL: there is no capacity. */
static void note_others(const struct engine *e, struct mixture_state *m, const uint32_t *choice)
{
    const struct rank_map *map = &e->job->local[e->at].map;
    for (size_t i = 0; i < m->tensor * m->ranks; i++) {
        const uint64_t sharer = (uint64_t)e->expert_tensor.rank[i / m->ranks];
        const uint64_t rank = rank_member(map, RANKS_OF_EXPERT, sharer, i % m->ranks);
        m->others[i] = choice ? kept_of(e, m, choice, rank) : m->n * m->k;
    }
}

static void note_load(struct engine *e, struct mixture_state *m, const uint32_t *choice)
{
    const size_t copies = e->job->sequence * m->k;
    free(m->load);
    m->load = calloc(e->batch * m->experts, sizeof *m->load);
    if (!m->load) give_up(e);
    for (size_t i = 0; i < e->batch * copies; i++)
        m->load[i / copies * m->experts + choice[i]] += (double)m->experts / (double)copies;
}

static void look_at_samples(struct engine *e, struct mixture_state *m, size_t mb)
{
    const bool caps = e->plan->capacity_factor > 0;
    const bool balances = e->job->settings.balance > 0 && !e->forward_only;
    if (COUNTS) note_others(e, m, NULL);
    if (!caps && !balances) return;
    uint32_t *choice = choices_of_samples(e, m, mb);
    if (balances) note_load(e, m, choice);
    if (caps) drop_over_capacity(e, m, choice, mb);
    if (COUNTS && caps) note_others(e, m, choice);
    give(e, (real *)choice);
}

/* By token once more: the copies that were over the capacity are known. */
static void drop_as_before(const struct engine *e, struct mixture_state *m)
{
    const struct mixture_state *all = e->resting->mixture;
    const size_t copies = m->n * m->k, first = all->n * all->k - copies;
    for (size_t i = 0; i < copies; i++)
        if (all->row[first + i] == NO_ROW) m->row[i] = NO_ROW;
    for (size_t i = 0; COUNTS && i < m->tensor * m->ranks; i++)
        m->others[i] = all->others[i] * m->n / all->n;
}

/* ---- routing ---- */

/* Where copies go when sorted by expert, tokens in order. */
static void sort_copies(struct engine *e, struct mixture_state *m)
{
    size_t *next = SCRATCH(e, size_t, m->experts);
    memset(m->counts, 0, m->experts * sizeof *m->counts);
    m->kept = 0;
    for (size_t i = 0; i < m->n * m->k; i++) {
        if (m->row[i] == NO_ROW) continue;
        m->counts[m->expert[i]]++;
        m->kept++;
    }
    for (size_t x = 0, at = 0; x < m->experts; at += m->counts[x++])
        next[x] = at;
    for (size_t i = 0; i < m->n * m->k; i++)
        if (m->row[i] != NO_ROW) m->row[i] = (uint32_t)next[m->expert[i]]++;
}

static struct REAL(choosing) room_to_choose(struct engine *e)
{
    const struct rk_model *model = &e->job->model;
    return (struct REAL(choosing)){SCRATCH(e, real, model->experts),
                                   SCRATCH(e, real, model->expert_groups),
                                   SCRATCH(e, uint32_t, model->expert_groups)};
}

/* Scores of all experts, the chosen ones, and their weights. */
static void choose_all(struct engine *e, const struct at_layer *l, struct frame *f, real *weights)
{
    const struct rk_train *t = &e->job->settings;
    const struct mixture_state *m = f->mixture;
    const uint32_t *known = rest_routes(e);
    const struct REAL(choosing) room = room_to_choose(e);
    const real *bias = weight(e, l->dense, WEIGHT_ROUTER_BIAS);
    if (known) memcpy(m->expert, known, m->n * m->k * sizeof *known);
    for (size_t i = 0; i < m->n; i++) {
        real *p = f->slot[SLOT_ROUTES] + i * m->experts, sum = 0;
        (is_sigmoid(e->job) ? squash : soften)(m->experts, p);
        if (!known) choose_experts(&e->job->model, p, bias, &room, m->expert + i * m->k);
        for (size_t k = 0; k < m->k; k++)
            sum += weights[i * m->k + k] = p[m->expert[i * m->k + k]];
        for (size_t k = 0; k < m->k; k++)
            weights[i * m->k + k] *= (real)t->route_scale;
        for (size_t k = 0; k < m->k && t->renormalise; k++)
            weights[i * m->k + k] /= sum;
    }
}

/* Nobody knows a router beforehand: where memory is counted, experts take turns. */
void REAL(routing)(struct engine *e, struct at_layer *l, struct frame *f, size_t mb)
{
    struct mixture_state *m = f->mixture;
    real *weights = make(e, f, SLOT_WEIGHTS, m->n * m->k);
    if (!COUNTS) choose_all(e, l, f, weights);
    for (size_t i = 0; COUNTS && i < m->n * m->k; i++)
        m->expert[i] = (uint32_t)(i % m->experts);
    memset(m->row, 0, m->n * m->k * sizeof *m->row);
    if (rest_routes(e))
        drop_as_before(e, m);
    else
        look_at_samples(e, m, mb);
    sort_copies(e, m);
}

/* Of the loss that balances experts, added to `dp` of a token's scores; its value is noted. */
static void add_balance(struct engine *e, const double *load, size_t experts, const real *p,
                        real *dp)
{
    const double each =
        e->job->settings.balance / ((double)e->job->plan.batch * (double)e->job->sequence);
    const bool sigmoid = is_sigmoid(e->job); /* whose scores become shares first */
    double sum = sigmoid ? 0 : 1, mean = 0;
    for (size_t x = 0; x < experts && sigmoid; x++)
        sum += (double)p[x];
    for (size_t x = 0; x < experts; x++)
        mean += load[x] * (double)p[x] / sum;
    e->balance += each * mean;
    for (size_t x = 0; x < experts; x++)
        dp[x] += (real)(e->scaler.scale * each * (sigmoid ? (load[x] - mean) / sum : load[x]));
}

/* d p = d w of the chosen, through the division by their sum. */
void REAL(routing_input)(struct engine *e, struct at_layer *l, struct frame *f, size_t mb)
{
    (void)l, (void)mb;
    const struct rk_train *t = &e->job->settings;
    const struct mixture_state *m = f->mixture;
    const real scale = (real)t->route_scale;
    real *dscores = make(e, f, SLOT_DROUTES, m->n * m->experts);
    real *dp = SCRATCH(e, real, m->experts);
    for (size_t i = 0; !COUNTS && i < m->n; i++) {
        const real *p = f->slot[SLOT_ROUTES] + i * m->experts,
                   *w = f->slot[SLOT_WEIGHTS] + i * m->k;
        const real *dw = f->slot[SLOT_DWEIGHTS] + i * m->k;
        const uint32_t *chosen = m->expert + i * m->k;
        const size_t row = (size_t)e->tensor.me * m->n + i;
        real sum = 0, along = 0;
        memset(dp, 0, m->experts * sizeof *dp);
        for (size_t k = 0; k < m->k; k++) {
            sum += p[chosen[k]];
            along += dw[k] * w[k];
        }
        for (size_t k = 0; k < m->k; k++)
            dp[chosen[k]] = t->renormalise ? (scale * dw[k] - along) / sum : scale * dw[k];
        if (m->load) add_balance(e, m->load + row / e->local * m->experts, m->experts, p, dp);
        unscore(is_sigmoid(e->job), m->experts, p, dp, dscores + i * m->experts);
    }
    drop(e, f, SLOT_ROUTES);
    drop(e, f, SLOT_WEIGHTS);
    drop(e, f, SLOT_DWEIGHTS);
}

/* ---- biases ---- */

void REAL(count_choices)(const struct mixture_state *m, real *gradient)
{
    for (size_t i = 0; !COUNTS && gradient && i < m->n * m->k; i++)
        gradient[m->expert[i]] += 1;
}

/* Down for an expert that more tokens than the mean chose, up for one that fewer did. */
void REAL(balance_experts)(struct engine *e, size_t n, const real *tokens, real *bias)
{
    const struct rk_model *model = &e->job->model;
    const double copies = (double)e->job->plan.batch * (double)e->job->sequence;
    const double mean = copies * (double)model->active_experts / (double)model->experts;
    for (size_t i = 0; !COUNTS && i < n; i++) {
        const double over = (double)tokens[i] - mean;
        if (over != 0) bias[i] -= (real)copysign(e->job->settings.bias_rate, over);
    }
}
