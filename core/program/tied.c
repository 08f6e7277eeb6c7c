/* tied.c - a tied table that the first stage cuts otherwise than the last one does.
 *
 * Each tensor rank has the rows of its part, of which ZeRO leaves a rank the gradients of a share
 * when they have been summed over data ranks. Then a rank and one of the other stage exchange the
 * elements that both have, and add them: each has the sum of both stages. Where a stage has copies
 * of a share, one of them sends to each copy of the other stage.
 */
#include "program/build.h"

/* Elements [first, end) of the table, row by row, and which copy of them it is. */
struct table_part {
    uint64_t first, end, copy, copies;
};

static struct table_part table_part_of(const struct rk_model *model, const struct rk_plan *plan,
                                       const struct rank_map *map, uint64_t rank)
{
    const uint64_t rows = (uint64_t)padded_vocabulary(model, plan) / plan->tensor;
    const uint64_t size = rows * model->hidden, shards = ranks_of_group(map, RANKS_OF_SHARDS);
    const uint64_t begin = rank_position(map, RANKS_OF_TENSOR, rank) * size;
    const uint64_t shard = rank_position(map, RANKS_OF_SHARDS, rank);
    return (struct table_part){begin + shard * size / shards, begin + (shard + 1) * size / shards,
                               rank_position(map, RANKS_OF_COPIES, rank),
                               ranks_of_group(map, RANKS_OF_COPIES)};
}

/* What one has that the other one needs. */
static uint64_t sent_elements(const struct table_part *from, const struct table_part *to)
{
    const uint64_t first = from->first > to->first ? from->first : to->first;
    const uint64_t end = from->end < to->end ? from->end : to->end;
    return to->copy % from->copies == from->copy && end > first ? end - first : 0;
}

/* ---- the two ends ---- */

static bool is_end(const struct build *b)
{
    return b->stage == 0 || b->stage + 1 == b->pipeline.stages;
}

bool tied_apart(const struct build *b)
{
    if (!b->stages || !b->model->tied_embeddings || b->pipeline.stages < 2) return false;
    const struct rk_plan *a = &b->stages[0].plan, *c = &b->stages[b->pipeline.stages - 1].plan;
    return a->tensor != c->tensor || a->ranks != c->ranks ||
           a->vocabulary_multiple != c->vocabulary_multiple || a->zero != c->zero ||
           rk_plan_shards(a) != rk_plan_shards(c);
}

struct ends {
    uint64_t first; /* rank of the other stage */
    uint64_t ranks; /* of it */
    struct table_part own;
    struct rk_plan plan; /* the other stage's */
    struct rank_map map;
};

static void ends_open(const struct build *b, struct ends *ends)
{
    const uint64_t other = b->stage ? 0 : b->pipeline.stages - 1;
    const struct rk_plan *own = &b->stages[b->stage].plan;
    const struct rank_map map = rank_map_of(own);
    ends->plan = b->stages[other].plan;
    ends->map = rank_map_of(&ends->plan);
    ends->first = first_of_stage(b->stages, other);
    ends->ranks = ends->map.inside;
    ends->own = table_part_of(b->model, own, &map, b->rank % map.inside);
}

/* With one rank of the other stage: to it, and from it. */
static void exchanged_with(const struct build *b, const struct ends *ends, uint64_t rank,
                           uint64_t elements[2])
{
    const struct table_part other = table_part_of(b->model, &ends->plan, &ends->map, rank);
    elements[0] = sent_elements(&ends->own, &other);
    elements[1] = sent_elements(&other, &ends->own);
}

uint64_t tied_routes(const struct build *b)
{
    struct ends ends;
    uint64_t hash = 1, elements[2];
    if (!tied_apart(b) || !is_end(b)) return 0;
    ends_open(b, &ends);
    for (uint64_t i = 0; i < ends.ranks; i++) {
        exchanged_with(b, &ends, i, elements);
        if (elements[0] | elements[1])
            hash = (hash ^ elements[0]) * UINT64_C(0x9e3779b97f4a7c15) + elements[1];
    }
    return hash;
}

/* ---- instructions ---- */

static void put_rows(struct build *b, const struct slot *slot, bool send, uint64_t rank,
                     uint64_t elements, int32_t tensor)
{
    const double width = place_of(b, slot)->rule.bytes.sent_gradient;
    const enum rk_element type = flow_element(&place_of(b, slot)->plan, width);
    const double bytes = send ? (double)elements * width : 0;
    put_begin(b, send ? RK_DO_SEND : RK_DO_RECV, RK_ON_GPU,
              step_task(b, slot, send ? "send tied" : "receive tied", bytes, 0, 0, 0));
    if (send)
        put_read(b, tensor);
    else
        put_write(b, tensor);
    b->draft.other = (uint32_t)rank;
    b->draft.tag = (uint32_t)(2 * pipeline_parts(&b->pipeline) * b->pipeline.microbatches) +
                   (send == (b->stage == 0)); /* after the numbers of all messages */
    b->draft.count = type == RK_IN_BYTES ? (uint64_t)((double)elements * width) : elements;
    b->draft.element = (uint8_t)type;
    put_end(b);
}

void exchange_tied(struct build *b, struct slot *slot)
{
    const double width = place_of(b, slot)->rule.bytes.sent_gradient;
    const enum rk_element type = flow_element(&place_of(b, slot)->plan, width);
    const int32_t gradient = slot->state[DENSE].gradient;
    struct ends ends;
    uint64_t elements[2], received = 0;
    if (!(width > 0) || gradient == NO_TENSOR) return;
    ends_open(b, &ends);
    for (uint64_t i = 0; i < ends.ranks; i++) {
        exchanged_with(b, &ends, i, elements);
        received += elements[1];
    }
    const double bytes = (double)received * width;
    const int32_t form = new_form(b, RK_TENSOR_REST, "tied", type,
                                  type == RK_IN_BYTES ? bytes : (double)received, 1, bytes);
    const int32_t came = received ? new_tensor(b, form, slot->layer, 0) : NO_TENSOR;
    step_begins(b, slot, RK_NONE);
    put_begin(b, RK_DO_BEGIN, RK_ON_GPU, RK_NONE), put_end(b);
    for (uint64_t i = 0; i < ends.ranks && !b->failed; i++) {
        exchanged_with(b, &ends, i, elements);
        if (elements[0]) put_rows(b, slot, true, ends.first + i, elements[0], gradient);
        if (elements[1]) put_rows(b, slot, false, ends.first + i, elements[1], came);
    }
    put_begin(b, RK_DO_END, RK_ON_GPU, RK_NONE), put_end(b);
    if (!received) return;
    put_begin(b, RK_DO_RUN, RK_ON_GPU, step_task(b, slot, "add tied", 0, 0, 0, 0));
    put_read(b, came);
    put_read(b, gradient);
    put_write(b, gradient);
    put_end(b);
}
