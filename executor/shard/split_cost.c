#include "shard/split_cost.h"

#include "base/memory.h"
#include "shard/cost.h"
#include "shard/cut.h"
#include "workload/pattern.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NUMBER_BYTES = 2, NAME = 128 };

/* ---- the matrices ---- */

enum end {
    END_IN,
    END_OUT
}; /* of a chain of two: reads the norm's output, brings the residual sum */

/* A matrix of every layer of a kind: its name after the number of the layer. */
struct kind {
    char name[NAME];
    enum shard_role role;
    int out_axis, in_axis;
    uint64_t out, in, layers;
    int choice; /* enum cost_choice */
};

/* Matrices with the same parent ("self_attn", "mlp"): those that read, the one that brings. */
struct chain {
    char parent[NAME];
    int kinds[2];
    struct kind kind[2][COST_MOST_MATRICES];
    bool aligned; /* heads stay whole */
};

struct graph {
    uint64_t t;
    int chains;
    struct chain *chain;         /* (chains) */
    struct kind embedding, head; /* name "": none */
    bool tied, failed;
};

static void graph_close(struct graph *g)
{
    if (g) free(g->chain);
    free(g);
}

static const char *tail_of(const char *name, int64_t layer)
{
    char number[32];
    snprintf(number, sizeof number, ".%lld.", (long long)layer);
    const char *at = strstr(name, number);
    return at ? at + strlen(number) : name;
}

static bool reads(enum shard_role role)
{
    return role == ROLE_HEADS || role == ROLE_GROUPS || role == ROLE_THIRDS ||
           role == ROLE_HEADWISE || role == ROLE_GROUPWISE || role == ROLE_ROWS ||
           role == ROLE_HALVES;
}

static bool brings(enum shard_role role)
{
    return role == ROLE_ATTENTION_OUT || role == ROLE_DOWN;
}

static bool is_attention(enum shard_role role)
{
    return role != ROLE_ROWS && role != ROLE_HALVES && role != ROLE_DOWN;
}

static bool is_matrix(const struct tensor *t, const struct part *part)
{
    return t->rank == 2 && part->leaf == LEAF_WEIGHT && !part->stacked && part->expert < 0;
}

/* Latent attention is a chain of its own, split by roles, and so are matrices of a recurrence. */
static bool is_ordinary(const struct rk_model *model, const struct part *part)
{
    if (part->layer < 0 || part->layer >= (int64_t)model->layers) return false;
    return !(model->kv_rank && is_attention(part->role));
}

static struct kind kind_of(const struct tensor *t, const struct part *part, const char *name)
{
    struct kind kind = {.role = part->role, .out_axis = part->turned, .in_axis = !part->turned};
    snprintf(kind.name, sizeof kind.name, "%s", name);
    kind.out = t->shape[kind.out_axis];
    kind.in = t->shape[kind.in_axis];
    return kind;
}

static struct chain *chain_of(struct graph *g, const char *tail)
{
    char parent[NAME];
    snprintf(parent, sizeof parent, "%s", tail);
    char *leaf = strstr(parent, ".weight");
    if (leaf) *leaf = '\0';
    char *dot = strrchr(parent, '.');
    if (dot)
        *dot = '\0';
    else
        parent[0] = '\0'; /* OPT's fc1 and fc2 */
    for (int i = 0; i < g->chains; i++)
        if (strcmp(g->chain[i].parent, parent) == 0) return &g->chain[i];
    if (!ARRAY_ROOM(g->chain, g->chains)) return NULL;
    struct chain *added = &g->chain[g->chains++];
    *added = (struct chain){.kinds = {0, 0}};
    snprintf(added->parent, sizeof added->parent, "%s", parent);
    return added;
}

static struct kind *find_kind(struct chain *c, const char *name)
{
    for (int end = 0; end < 2; end++)
        for (int i = 0; i < c->kinds[end]; i++)
            if (strcmp(c->kind[end][i].name, name) == 0) return &c->kind[end][i];
    return NULL;
}

static void add_matrix(struct graph *g, const struct tensor *t, const struct part *part)
{
    const char *tail = tail_of(t->name, part->layer);
    struct chain *c = chain_of(g, tail);
    const int end = brings(part->role) ? END_OUT : END_IN;
    if (!c) {
        g->failed = true;
        return;
    }
    struct kind *known = find_kind(c, tail);
    if (!known && c->kinds[end] < COST_MOST_MATRICES) {
        known = &c->kind[end][c->kinds[end]++];
        *known = kind_of(t, part, tail);
    }
    if (known)
        known->layers++;
    else
        g->failed = true;
}

static bool divides(uint64_t t, uint64_t n)
{
    return n % t == 0;
}

static bool is_aligned(const struct chain *c, const struct rk_model *model, uint64_t t)
{
    const struct head_shape s = head_shape_of(model, false);
    const uint64_t a = (uint64_t)s.heads, g = (uint64_t)s.kv_heads;
    if (c->kinds[END_IN] && !is_attention(c->kind[END_IN][0].role)) return true;
    return divides(t, a) && (divides(t, g) || divides(g, t));
}

static bool build(struct graph *g, const struct layout *layout, const char *type,
                  const struct rk_model *model, const struct rk_plan *plan)
{
    *g = (struct graph){.t = plan->tensor};
    for (size_t i = 0; i < layout->tensors; i++) {
        const struct tensor *t = &layout->tensor[i];
        const struct part part = part_of(t->name, type);
        if (!is_matrix(t, &part)) continue;
        if (part.role == ROLE_EMBEDDING) g->embedding = kind_of(t, &part, t->name);
        if (part.role == ROLE_HEAD) g->head = kind_of(t, &part, t->name);
        if (is_ordinary(model, &part) && (reads(part.role) || brings(part.role)))
            add_matrix(g, t, &part);
    }
    g->tied = *g->embedding.name && !*g->head.name;
    for (int i = 0; i < g->chains; i++)
        g->chain[i].aligned = is_aligned(&g->chain[i], model, g->t);
    return !g->failed;
}

/* ---- a chain as steps ---- */

static struct cost_matrix matrix_of(const struct chain *c, const struct kind *k, uint64_t t)
{
    const bool rows = k->role == ROLE_HALVES ? divides(2 * t, k->out) : divides(t, k->out);
    const bool groups =
        k->role == ROLE_GROUPS && c->aligned; /* copied where there are more ranks */
    return (struct cost_matrix){(double)k->in, (double)k->out, rows || groups, divides(t, k->in)};
}

static int steps_of(const struct chain *c, uint64_t t, struct cost_step steps[2])
{
    int count = 0;
    for (int end = 0; end < 2; end++) {
        if (!c->kinds[end]) continue;
        struct cost_step *s = &steps[count++];
        s->matrices = c->kinds[end];
        s->behind = end == END_OUT || !c->aligned ? COST_NORM : COST_POINTWISE;
        for (int i = 0; i < c->kinds[end]; i++)
            s->matrix[i] = matrix_of(c, &c->kind[end][i], t);
    }
    return count;
}

/* Layers that have the chain. */
static double times(const struct chain *c)
{
    const struct kind *k = c->kinds[END_OUT] ? c->kind[END_OUT] : c->kind[END_IN];
    return (double)k->layers;
}

static void read_choices(const struct chain *c, struct cost_choices choices[2])
{
    int count = 0;
    for (int end = 0; end < 2; end++) {
        if (!c->kinds[end]) continue;
        for (int i = 0; i < c->kinds[end]; i++)
            choices[count].of[i] = (enum cost_choice)c->kind[end][i].choice;
        count++;
    }
}

/* ---- embedding and head ----
 *
 * A lookup is a matrix that reads nothing: split over the vocabulary (its inputs) it brings partial
 * sums, over the width parts. The loss works on logits that are split, and brings nothing. */

static double lookup_sends(const struct graph *g, enum cost_choice choice)
{
    const struct kind *k = &g->embedding;
    const struct cost_step step = {1, {{0, (double)k->in, divides(g->t, k->in), true}}, COST_NORM};
    return cost_of(&step, 1, &(struct cost_choices){{choice}}, (double)g->t);
}

static double head_sends(const struct graph *g, const struct kind *k, enum cost_choice choice)
{
    const struct cost_step steps[] = {
        {1, {{(double)k->in, (double)k->out, true, divides(g->t, k->in)}}, COST_POINTWISE},
        {1, {{(double)k->out, 0, false, true}}, COST_NOTHING},
    };
    const struct cost_choices choices[] = {{{choice}}, {{COST_IN}}};
    return cost_of(steps, 2, choices, (double)g->t);
}

/* Of a table (V, h), the choice of its outputs (V) and inputs (h): the lookup is turned. */
static double ends_send(const struct graph *g, enum cost_choice lookup, enum cost_choice head)
{
    double sent = 0;
    if (*g->embedding.name) sent += lookup_sends(g, lookup == COST_OUT ? COST_IN : COST_OUT);
    if (*g->head.name || g->tied)
        sent += head_sends(g, g->tied ? &g->embedding : &g->head, g->tied ? lookup : head);
    return sent;
}

static void best_ends(struct graph *g)
{
    double best = INFINITY;
    for (int lookup = COST_OUT; lookup <= COST_IN; lookup++)
        for (int head = COST_OUT; head <= COST_IN; head++) {
            const double sent = ends_send(g, (enum cost_choice)lookup, (enum cost_choice)head);
            if (sent >= best) continue;
            best = sent;
            g->embedding.choice = lookup;
            g->head.choice = head;
        }
}

/* ---- from and to axes ---- */

static int axis_of(const struct graph *g, const struct chain *c, const struct kind *k)
{
    const bool attention = is_attention(k->role), role_in = brings(k->role);
    if (k->choice == COST_WHOLE) return AXIS_NONE;
    if ((k->choice == COST_IN) == role_in && (c->aligned || !attention)) return AXIS_BY_ROLE;
    (void)g;
    return k->choice == COST_IN ? k->in_axis : k->out_axis;
}

/* Biases and scales go with the outputs of their matrix. */
static int axis_beside(const struct tensor *t, const struct part *part, const struct kind *k,
                       int axis)
{
    if (axis < 0 || (part->leaf == LEAF_WEIGHT && t->rank >= 2)) return axis;
    if (part->leaf == LEAF_BLOCK_SCALES) return axis;
    return k->choice == COST_OUT && t->rank >= 1 && t->shape[0] > 1 ? 0 : AXIS_NONE;
}

/* The matrix that a tensor of a layer is, or belongs to. */
static struct kind *kind_beside(struct graph *g, const struct tensor *t, const struct part *part,
                                struct chain **chain)
{
    char name[NAME];
    if (part->layer < 0) return NULL;
    snprintf(name, sizeof name, "%s", tail_of(t->name, part->layer));
    char *end = strrchr(name, '.');
    if (!end) return NULL;
    snprintf(end, sizeof name - (size_t)(end - name), ".weight");
    for (int i = 0; i < g->chains; i++) {
        struct kind *found = find_kind(&g->chain[i], name);
        *chain = &g->chain[i];
        if (found) return found;
    }
    return NULL;
}

static void write_axes(struct graph *g, const struct layout *layout, const char *type,
                       const struct rk_model *model, int *axis)
{
    for (size_t i = 0; i < layout->tensors; i++) {
        const struct tensor *t = &layout->tensor[i];
        const struct part part = part_of(t->name, type);
        struct chain *c;
        const struct kind *k = is_ordinary(model, &part) ? kind_beside(g, t, &part, &c) : NULL;
        axis[i] = AXIS_BY_ROLE;
        if (k) axis[i] = axis_beside(t, &part, k, axis_of(g, c, k));
        if (part.role == ROLE_EMBEDDING && g->embedding.choice == COST_IN) axis[i] = 1;
        if (part.role == ROLE_HEAD && g->head.choice == COST_IN)
            axis[i] = part.leaf == LEAF_WEIGHT ? 1 : AXIS_NONE;
    }
}

enum rk_status split_by_cost(const struct layout *layout, const char *type,
                             const struct rk_model *model, const struct rk_plan *plan, int *axis,
                             struct rk_error *error)
{
    struct graph *g = malloc(sizeof *g);
    if (!g) return no_memory(error);
    bool ok = build(g, layout, type, model, plan);
    for (int i = 0; i < g->chains && ok; i++) {
        struct chain *c = &g->chain[i];
        struct cost_step steps[2];
        struct cost_choices choices[2];
        const int count = steps_of(c, g->t, steps);
        ok = cost_best(steps, (size_t)count, (double)g->t, choices) < INFINITY;
        for (int end = 0, at = 0; end < 2 && ok; end++) {
            for (int k = 0; k < c->kinds[end]; k++)
                c->kind[end][k].choice = choices[at].of[k];
            at += c->kinds[end] > 0;
        }
    }
    if (ok) {
        best_ends(g);
        write_axes(g, layout, type, model, axis);
    }
    graph_close(g);
    if (ok) return RK_OK;
    return rk_fail(error, RK_BAD_INPUT, NULL, 0, 0,
                   "`split` cost knows layers of attention and MLP; this model has others: take "
                   "`split` roles or redco");
}

/* ---- what given axes send ---- */

static int choice_of(const struct kind *k, int axis)
{
    if (axis == AXIS_BY_ROLE) return brings(k->role) ? COST_IN : COST_OUT;
    if (axis == AXIS_NONE) return COST_WHOLE;
    return axis == k->in_axis ? COST_IN : COST_OUT;
}

static void read_axes(struct graph *g, const struct layout *layout, const char *type,
                      const struct rk_model *model, const int *axis)
{
    for (size_t i = 0; i < layout->tensors; i++) {
        const struct tensor *t = &layout->tensor[i];
        const struct part part = part_of(t->name, type);
        const int own = axis ? axis[i] : AXIS_BY_ROLE;
        struct chain *c;
        if (!is_matrix(t, &part)) continue;
        struct kind *k = is_ordinary(model, &part) ? kind_beside(g, t, &part, &c) : NULL;
        if (k) k->choice = choice_of(k, own);
        if (k && own >= 0 && is_attention(k->role) && k->role != ROLE_ATTENTION_OUT &&
            own == k->out_axis && k->role != ROLE_HEADS && k->role != ROLE_GROUPS)
            c->aligned = false; /* evenly through fused queries, keys and values */
        if (k && own >= 0 && k->role == ROLE_GROUPS && own == k->out_axis)
            c->aligned &= divides(g->t, (uint64_t)head_shape_of(model, false).kv_heads);
        if (part.role == ROLE_EMBEDDING) g->embedding.choice = choice_of(&g->embedding, own);
        if (part.role == ROLE_HEAD) g->head.choice = choice_of(&g->head, own);
    }
}

double split_sends(const struct layout *layout, const char *type, const struct rk_model *model,
                   const struct rk_plan *plan, const int *axis)
{
    struct graph *g = malloc(sizeof *g);
    double sum = INFINITY;
    if (g && build(g, layout, type, model, plan)) {
        read_axes(g, layout, type, model, axis);
        sum = 0;
        for (int i = 0; i < g->chains; i++) {
            struct cost_step steps[2];
            struct cost_choices choices[2];
            const int count = steps_of(&g->chain[i], g->t, steps);
            read_choices(&g->chain[i], choices);
            sum += times(&g->chain[i]) * cost_of(steps, (size_t)count, choices, (double)g->t);
        }
        sum +=
            ends_send(g, (enum cost_choice)g->embedding.choice, (enum cost_choice)g->head.choice);
    }
    graph_close(g);
    return sum * NUMBER_BYTES;
}
