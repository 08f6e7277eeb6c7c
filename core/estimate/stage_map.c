/* stage_map.c - which stages of a plan are made of the same blocks. */
#include "estimate/stages.h"

#include <string.h>

void stage_add_blocks(struct stage_blocks *blocks, const struct rk_model *model,
                      const struct rk_plan *plan, uint64_t first, uint64_t count)
{
    const uint64_t stride = plan->recompute_stride > 1 ? plan->recompute_stride : 1;
    const bool all = !plan->recompute_layers || plan->recompute_layers > count;
    const uint64_t within = plan->recompute == RK_KEEP ? 0 : all ? count : plan->recompute_layers;
    uint64_t done = 0;
    for (uint64_t i = stride - 1; stride > 1 && i < within; i += stride) {
        layer_count(model, first + done, i - done, blocks->counts[AS_IT_IS]);
        layer_count(model, first + i, 1, blocks->counts[RECOMPUTED]);
        done = i + 1;
    }
    if (stride == 1) {
        layer_count(model, first, within, blocks->counts[RECOMPUTED]);
        done = within;
    }
    layer_count(model, first + done, count - done, blocks->counts[AS_IT_IS]);
    blocks->all += (double)count;
}

bool stage_recomputes(const struct rk_plan *plan, uint64_t i, uint64_t count)
{
    const uint64_t stride = plan->recompute_stride > 1 ? plan->recompute_stride : 1;
    const bool all = !plan->recompute_layers || plan->recompute_layers > count;
    return plan->recompute != RK_KEEP && (all || i < plan->recompute_layers) &&
           (i + 1) % stride == 0;
}

void stage_part(struct stage_blocks *blocks, const struct rk_model *model,
                const struct rk_plan *plan, uint64_t i)
{
    uint64_t first = 0;
    *blocks =
        (struct stage_blocks){.first = i == 0, .last = i + 1 == plan->pipeline * plan->chunks};
    for (uint64_t k = 0; k < i; k++)
        first += rk_plan_split(plan, model, k);
    stage_add_blocks(blocks, model, plan, first, rk_plan_split(plan, model, i));
}

static bool same_blocks(const struct stage_blocks *a, const struct stage_blocks *b)
{
    return a->first == b->first && a->last == b->last &&
           memcmp(a->counts, b->counts, sizeof a->counts) == 0;
}

/* Its class, a new one when no class before is like it. The blocks of class `classes` are free. */
static int class_of(struct stage_map *map, const struct stage_blocks *blocks)
{
    for (int i = map->classes - 1; i >= 0; i--)
        if (same_blocks(&map->blocks[i], blocks)) return i;
    map->blocks[map->classes] = *blocks;
    return map->classes++;
}

/* first[i]: the first block of virtual stage i. */
static void find_firsts(uint64_t *first, const struct rk_model *model, const struct rk_plan *plan)
{
    const uint64_t all = plan->pipeline * plan->chunks;
    first[0] = 0;
    for (uint64_t i = 0; i < all; i++)
        first[i + 1] = first[i] + rk_plan_split(plan, model, i);
}

/* The virtual stages of a stage, one after the other. */
static uint64_t part_of(const struct rk_plan *plan, const struct pipeline *pipeline, uint64_t stage,
                        uint64_t chunk)
{
    return plan->schedule == RK_DUALPIPE ? stage : pipeline_part(pipeline, stage, chunk);
}

static struct stage_blocks blocks_of(const struct rk_model *model, const struct rk_plan *plan,
                                     const uint64_t *first, uint64_t stage)
{
    const struct pipeline pipeline = pipeline_of(plan, 1);
    struct stage_blocks blocks = {.first = stage == 0};
    for (uint64_t chunk = 0; chunk < plan->chunks; chunk++) {
        const uint64_t i = part_of(plan, &pipeline, stage, chunk);
        stage_add_blocks(&blocks, model, plan, first[i], first[i + 1] - first[i]);
        blocks.last |= i + 1 == plan->pipeline * plan->chunks;
    }
    return blocks;
}

/* Are stages that have equally many blocks alike wherever they lie? */
static bool is_uniform(const struct rk_model *model, const struct rk_plan *plan)
{
    double counts[LAYER_KINDS] = {0};
    int kinds = 0;
    const bool some = plan->recompute_layers || plan->recompute_stride > 1;
    if (some && plan->chunks > 1) return false; /* of each chunk */
    layer_count(model, 0, model->layers, counts);
    for (int kind = 0; kind < LAYER_KINDS; kind++)
        kinds += counts[kind] > 0;
    return kinds == 1;
}

/* The class that such a stage is of, or the number of classes: none yet. */
static int known_class(const struct stage_map *map, const struct rk_plan *plan,
                       const uint64_t *first, uint64_t stage)
{
    const struct pipeline pipeline = pipeline_of(plan, 1);
    uint64_t all = 0;
    bool last = false;
    for (uint64_t chunk = 0; chunk < plan->chunks; chunk++) {
        const uint64_t i = part_of(plan, &pipeline, stage, chunk);
        all += first[i + 1] - first[i];
        last |= i + 1 == plan->pipeline * plan->chunks;
    }
    for (int i = map->classes - 1; i >= 0; i--) {
        const struct stage_blocks *b = &map->blocks[i];
        if (b->all == (double)all && b->first == (stage == 0) && b->last == last) return i;
    }
    return map->classes;
}

void stage_map_of(struct stage_map *map, const struct rk_model *model, const struct rk_plan *plan)
{
    uint64_t first[RK_MAX_CHUNKS + 1];
    const bool uniform = is_uniform(model, plan);
    find_firsts(first, model, plan);
    map->stages = (int)plan->pipeline;
    map->classes = 0;
    for (uint64_t stage = 0; stage < plan->pipeline; stage++) {
        const int before = map->classes;
        int found = uniform ? known_class(map, plan, first, stage) : before;
        if (found == before) {
            const struct stage_blocks blocks = blocks_of(model, plan, first, stage);
            found = class_of(map, &blocks);
        }
        if (found == before) map->first_of[found] = (uint16_t)stage;
        map->class_of[stage] = (uint16_t)found;
    }
}

void stage_map_of_first(struct stage_map *map, const struct rk_model *model,
                        const struct rk_plan *plan)
{
    uint64_t first[RK_MAX_CHUNKS + 1];
    find_firsts(first, model, plan);
    map->stages = (int)plan->pipeline;
    map->classes = 1;
    map->class_of[0] = map->first_of[0] = 0;
    map->blocks[0] = blocks_of(model, plan, first, 0);
}
