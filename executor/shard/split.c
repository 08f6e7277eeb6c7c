#include "shard/split.h"

#include "base/memory.h"
#include "shard/cut.h"
#include "shard/redco.h"
#include "shard/split_cost.h"

#include <stdlib.h>
#include <string.h>

/* ---- a checkpoint as Redco's tree ----
 *
 * Its trees are Flax's: "/" between parts, matrices are called kernel and stored as (in, out),
 * norms have a scale. torch's are (out, in). */

struct leaves {
    size_t count;
    struct redco_leaf *leaf;
    char **path;
    uint64_t (*shape)[TENSOR_MAX_RANK];
};

static const char *leaf_name(const struct tensor *t, const struct part *part)
{
    if (part->role == ROLE_EMBEDDING || part->role == ROLE_POSITIONS ||
        part->role == ROLE_PREDICT_EMBEDDING ||
        (part->role == ROLE_UNKNOWN && strstr(t->name, "embed")))
        return "embedding";
    return t->rank >= 2 ? "kernel" : "scale";
}

/* Are the last two axes turned round? torch's are, whose leaves are called weight. */
static bool is_turned(const struct tensor *t, const struct part *part)
{
    const size_t length = strlen(t->name);
    return t->rank >= 2 && !part->turned && length > 7 &&
           strcmp(t->name + length - 7, ".weight") == 0 &&
           strcmp(leaf_name(t, part), "kernel") == 0;
}

static char *path_of(const struct tensor *t, const struct part *part)
{
    const size_t length = strlen(t->name);
    char *path = malloc(length + 16);
    if (!path) return NULL;
    strcpy(path, t->name);
    for (char *c = path; *c; c++)
        if (*c == '.') *c = '/';
    char *last = strrchr(path, '/');
    if (last && strcmp(last, "/weight") == 0) strcpy(last + 1, leaf_name(t, part));
    return path;
}

static void release_leaves(struct leaves *leaves)
{
    for (size_t i = 0; leaves->path && i < leaves->count; i++)
        free(leaves->path[i]);
    free(leaves->path);
    free(leaves->leaf);
    free(leaves->shape);
}

static bool leaves_of(const struct layout *layout, const char *type, struct leaves *leaves)
{
    const size_t room = layout->tensors + 1;
    *leaves = (struct leaves){.leaf = calloc(room, sizeof *leaves->leaf),
                              .path = calloc(room, sizeof *leaves->path),
                              .shape = calloc(room, sizeof *leaves->shape)};
    if (!leaves->leaf || !leaves->path || !leaves->shape) return false;
    for (; leaves->count < layout->tensors; leaves->count++) {
        const size_t i = leaves->count;
        const struct tensor *t = &layout->tensor[i];
        const struct part part = part_of(t->name, type);
        uint64_t *shape = leaves->shape[i];
        memcpy(shape, t->shape, sizeof t->shape);
        if (is_turned(t, &part)) {
            shape[t->rank - 2] = t->shape[t->rank - 1];
            shape[t->rank - 1] = t->shape[t->rank - 2];
        }
        if (!(leaves->path[i] = path_of(t, &part))) return false;
        leaves->leaf[i] = (struct redco_leaf){leaves->path[i], t->rank, shape};
    }
    return true;
}

static enum rk_status redco_axes(const struct layout *layout, const char *type,
                                 enum redco_generation generation, uint64_t shards, int *axis,
                                 struct rk_error *error)
{
    struct leaves leaves;
    struct redco_rules rules = {.count = 0};
    enum rk_status status =
        leaves_of(layout, type, &leaves)
            ? redco_rules_of(generation, leaves.count, leaves.leaf, shards, &rules, error)
            : no_memory(error);
    for (size_t i = 0; status == RK_OK && i < leaves.count; i++) {
        const struct tensor *t = &layout->tensor[i];
        const struct part part = part_of(t->name, type);
        const int d = redco_dimension(generation, &rules, leaves.path[i]);
        const bool swapped = is_turned(t, &part) && d >= t->rank - 2;
        axis[i] = d < 0 ? AXIS_NONE : swapped ? 2 * t->rank - 3 - d : d;
    }
    redco_release(&rules);
    release_leaves(&leaves);
    return status;
}

/* ---- all ---- */

enum rk_status split_axes(const struct layout *layout, const char *type,
                          const struct rk_shard_options *options, const struct rk_model *model,
                          const struct rk_plan *plan, int *axis, struct rk_error *error)
{
    const enum redco_generation generation =
        options->split == RK_SPLIT_REDCO_FIRST ? REDCO_FIRST : REDCO_CURRENT;
    const bool whole = options->split == RK_SPLIT_REDCO || options->split == RK_SPLIT_REDCO_FIRST;
    enum rk_status status = RK_OK;
    if (options->split == RK_SPLIT_COST)
        return split_by_cost(layout, type, model, plan, axis, error);
    if (whole || options->unknown == RK_UNKNOWN_REDCO)
        status = redco_axes(layout, type, generation, plan->tensor, axis, error);
    for (size_t i = 0; i < layout->tensors && !whole && status == RK_OK; i++) {
        const bool unknown = part_of(layout->tensor[i].name, type).role == ROLE_UNKNOWN;
        if (!unknown || options->unknown != RK_UNKNOWN_REDCO) axis[i] = AXIS_BY_ROLE;
    }
    return status;
}
