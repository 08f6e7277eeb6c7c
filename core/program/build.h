/* build.h - a program under construction.
 *
 * Instructions are added in order, with the tensors that they read and write. Dependencies that the
 * order of the streams does not satisfy are added at the end (events.c). Functions that run out of
 * memory mark the build as failed; callers need not check in between.
 */
#ifndef RECKON_PROGRAM_BUILD_H
#define RECKON_PROGRAM_BUILD_H

#include "estimate/runs.h"
#include "plan/ranks.h"
#include "program/flow.h"
#include "program/stage.h"

#include <reckon/program.h>

enum { NO_TENSOR = -1, TASK_SLOTS = 4096 };

/* ---- the local part of a plan ---- */

/* What a kind of layer is there: operations, times, tensors. */
struct program_kind {
    struct timed_layer timed;
    struct flow flow;
    int32_t task[TREATMENTS][RK_WORKS][2][MAX_OPERATIONS]; /* [1]: the last of the layer's backward.
                                                              RK_NONE: not made yet, as below */
    int32_t form[RK_TENSOR_KINDS][MAX_OPERATIONS];
    int32_t mask_form[MAX_OPERATIONS];
    int32_t waits[TREATMENTS][FOLD_PASSES]; /* tasks */
};

struct place {
    struct rk_plan plan;              /* as these layers see it */
    const struct uneven_stage *stage; /* of several numbers of ranks; NULL */
    struct rank_map map;
    struct sharing sharing;
    struct layer_folds folds;
    struct memory_rule rule;
    struct program_kind *kind[LAYER_KINDS]; /* of those that are there */
    int32_t group[RANK_GROUPS];             /* RK_NONE: not made yet */
};

/* ---- the layers of a rank ---- */

/* Of dense weights, of experts'. */
enum { DENSE, OF_EXPERTS, STATES };

struct layer_state {
    double parameters;
    double summed; /* parameters that tensor ranks have alike, and see different tokens of */
    int32_t weights, gradient, shard, optimizer; /* tensors */
    int32_t away, optimizer_away, gradient_away; /* ... in a lower memory tier */
    int32_t gathered_form, fresh_form;
    int32_t gathered; /* for the pass at hand */
};

struct slot {
    int32_t layer; /* RK_LAYER_EMBEDDING, a block, a prediction layer, the head */
    enum layer_kind kind;
    enum treatment treatment;
    uint16_t chunk;
    int place;
    bool begins_group, ends_group; /* of layers that are recomputed together */
    struct layer_state state[STATES];
    int32_t away_form[3]; /* of transfers: out, back, weights */
    bool swapped;         /* through one of two buffers (recompute_rest) */
};

static inline bool is_block(const struct slot *slot)
{
    return slot->kind >= LAYER_BLOCKS && slot->kind < LAYER_PREDICT && slot->kind != LAYER_NOTHING;
}

/* Tensors of a layer and a microbatch. */
struct live {
    int32_t input, input_gradient, tokens;
    int32_t output, output_gradient; /* of the last layer of a part: what is sent, and comes back */
    int32_t fresh[2];          /* ZeRO-2 and 3: gradients of weights, before they are reduced */
    int32_t shared[2];         /* messages, back and forward, that have come in shares */
    int32_t away;              /* what went to a lower tier */
    int32_t returned, fetched; /* activations and weights that have come from there */
    int32_t all_returned;      /* ... where all activations went there: what backward reads */
    int32_t left;              /* the instruction with which they went */
    uint64_t ungathered[(MAX_OPERATIONS + 63) / 64]; /* bits: backward has not gathered it again */
    int32_t brought[MAX_OPERATIONS], again[MAX_OPERATIONS], gradient[MAX_OPERATIONS];
    int32_t mask[MAX_OPERATIONS];
    int32_t *chunk_away; /* (2, chunks of the sequence) what attention's have in memory tier 1 */
    int32_t numbered;    /* tensors of chunks */
};

/* ---- all of it ---- */

struct build {
    const struct rk_model *model;
    const struct rk_system *system;
    const struct rk_plan *plan;
    struct rk_program *program;
    struct pipeline pipeline;
    uint32_t stage, rank;
    const struct uneven_stage *stages; /* (pipeline) of different numbers of ranks; NULL: of as
                                              many. `plan` is then this stage's, and `rank` counted
                                              as if all stages were like it */
    int64_t moved;       /* what makes a rank of this stage one of the whole program; else 0 */
    struct place *place; /* (RK_MAX_LOCALS + 1); of `stages`: PLACE_OWN ... */
    int places;
    struct slot *slot; /* those of chunk i: first_slot[i] ... */
    uint32_t slots;
    uint32_t first_slot[RK_MAX_CHUNKS + 1];
    struct live **live; /* (slots, microbatches) */
    double stage_parameters[STATES];
    struct rk_passes *passes; /* what its parts take */
    double message_bytes;     /* between stages */
    double *added_s;          /* (chunks) adding up a microbatch's gradients */
    int32_t message_form[2][2], tied_group, pair_group;
    int32_t relayout_task[RK_MAX_LOCALS + 1][RK_MAX_LOCALS + 1][2];
    int32_t relayout_form[RK_MAX_LOCALS + 1][2]; /* in a place: forward, back */

    int32_t task_slot[TASK_SLOTS]; /* a hash table of tasks: number + 1 */

    int32_t begun, next_begun; /* where the layer before was begun, and the one at hand: the last
                                  instruction of computing in front of it */
    int32_t arrived;           /* a message that the first operation of the pass waits for */

    /* the instruction at hand */
    struct rk_instruction draft;
    int32_t after;            /* ... comes after this instruction; RK_NONE */
    int32_t *afters;          /* (instructions) */
    int32_t last[RK_STREAMS]; /* instruction of each stream */
    bool failed;
    enum rk_status status;
    struct rk_error *error;
};

/* ---- instructions ---- */

/* The begin of one, of the draft's defaults: layer, microbatch, chunk, work. */
void put_begin(struct build *b, enum rk_do what, enum rk_stream stream, int32_t task);
void put_read(struct build *b, int32_t tensor); /* NO_TENSOR: nothing */
void put_write(struct build *b, int32_t tensor);
int32_t put_end(struct build *b); /* returns its number */

/* The same in one, of up to two tensors. */
int32_t put_run(struct build *b, enum rk_stream stream, int32_t task, int32_t read, int32_t write);

/* A collective over a group of the place; nothing over one rank. `bytes` of the whole vector. */
struct exchanged {
    enum rk_do what;
    enum rank_groups over;
    enum rk_element element;
    double bytes, element_bytes;
};
void put_collective(struct build *b, const struct place *place, enum rk_stream stream, int32_t task,
                    const struct exchanged *e, int32_t read, int32_t write);

/* ---- what they name ---- */

int32_t new_task(struct build *b, const struct rk_task *task);
bool same_task(const struct rk_task *a, const struct rk_task *b);
int32_t new_form(struct build *b, enum rk_tensor_kind kind, const char *name,
                 enum rk_element element, double rows, double width, double bytes);
int32_t new_tensor(struct build *b, int32_t form, int32_t layer, int32_t microbatch);

/* The group of this rank in a place; and any list of ranks. */
int32_t group_in(struct build *b, struct place *place, enum rank_groups over);
int32_t new_group(struct build *b, const char *name, const uint32_t *ranks, uint32_t count);

struct live *live_of(struct build *b, const struct slot *slot, int32_t microbatch);
struct live *live_open(struct build *b, const struct slot *slot, int32_t microbatch);
void live_close(struct build *b, const struct slot *slot, int32_t microbatch);

static inline struct place *place_of(const struct build *b, const struct slot *slot)
{
    return &b->place[slot->place];
}

static inline struct program_kind *kind_of(const struct build *b, const struct slot *slot)
{
    return place_of(b, slot)->kind[slot->kind];
}

/* The place of the first or the last layer of a part of the model, whoever has it. */
int place_at_end(const struct build *b, uint64_t part, bool last);

/* ---- stages of different numbers of ranks (uneven.c) ---- */

/* The stage itself, and those that it talks to. */
enum { PLACE_OWN, PLACE_NEXT, PLACE_PREVIOUS };
int place_of_stage(const struct build *b, uint64_t stage);

/* Of all neighbours what messages need: the plan, and its ranks. */
void neighbours_open(struct build *b);

/* Requires b->stages: makes it one of this stage, and of the kind of the replica that has the rank
 * of that number in it. */
void build_of_stage(struct build *b, uint32_t stage, uint64_t rank);
uint64_t first_of_stage(const struct uneven_stage *stages, uint64_t stage);

/* Which of a stage's kinds a rank of it has, counted in it; 0 where all are alike. */
int kind_of_rank(const struct uneven_stage *stage, uint64_t rank);

/* The plan as a rank of the place sees it, and what it has of a round's samples and tokens. */
const struct rk_plan *plan_of_rank(const struct place *place, uint64_t rank);
struct run_part part_of_rank(const struct place *place, uint64_t rank);
double samples_of_round(const struct place *place);

/* Is a tied table sharded differently in the first stage and in the last? Then its gradients are
 * exchanged by rows (tied.c) after their sum over data ranks. */
bool tied_apart(const struct build *b);
void exchange_tied(struct build *b, struct slot *slot);
/* As routes_of: of what a rank of this stage exchanges so. */
uint64_t tied_routes(const struct build *b);

/* A member of a group of this rank in its stage, as the program's ranks are counted. */
static inline uint32_t member_of(const struct build *b, const struct rank_map *map,
                                 enum rank_groups groups, uint64_t i)
{
    return (uint32_t)((int64_t)rank_member(map, groups, b->rank, i) + b->moved);
}

/* The rank of another stage with the same number in it. */
static inline uint32_t rank_in_stage(const struct build *b, const struct place *place,
                                     uint64_t stage)
{
    if (b->stages)
        return (uint32_t)(first_of_stage(b->stages, stage) + b->rank % place->map.inside);
    return (uint32_t)rank_member(&place->map, RANKS_OF_PIPELINE, b->rank, stage);
}

/* Lowers b->rank of a plan that has been checked. */
enum rk_status build_program(struct build *b);

/* What of a plan cannot be lowered. */
enum rk_status build_check(const struct rk_model *model, const struct rk_system *system,
                           const struct rk_plan *plan, struct rk_error *error);

/* ---- the steps of a lowering ---- */

/* Passes of one layer (layer.c). */
void layer_forward(struct build *b, const struct slot *slot, int32_t microbatch);
void layer_again(struct build *b, const struct slot *slot, int32_t microbatch);
/* Of both gradients, or of one. */
void layer_backward(struct build *b, const struct slot *slot, int32_t microbatch, bool input,
                    bool weight);

/* From the layout of one place to that of another (messages.c): the same tensor where they agree.
 */
int32_t relayout(struct build *b, const struct slot *slot, int from, int to, int32_t tensor,
                 int32_t microbatch, bool forward);

/* Messages (messages.c): what a pass needs is posted, what it brings is sent. */
/* Of all that a rank sends and receives beyond its stage: the same number for ranks whose programs
 * differ in whom they talk to alone; and after how many ranks these repeat. */
uint64_t routes_of(const struct build *b);
uint64_t routes_repeat(const struct build *b);
struct mailbox *mailbox_open(struct build *b);
void mailbox_release(struct mailbox *mail);
void post_receives(struct build *b, struct mailbox *mail, const struct order_pass *pass);
void take_message(struct build *b, const struct order_pass *pass);
void send_result(struct build *b, const struct order_pass *pass);

/* Shares of what a stage or part waits for (waits.c). Levels of ZeRO, as bits; and whether there
 * are ranks to reduce over, or to gather from. */
enum {
    EVERY_ZERO = 15,
    ZERO_0_1 = 3,
    ZERO_1_2 = 6,
    ZERO_2_3 = 12,
    ZERO_3 = 8,
    REDUCED = 16,
    GATHERED = 32
};

/* Parameters of a layer that count at these levels; and what share of its part's a state has. */
double parameters_of(const struct build *b, const struct slot *slot, unsigned levels);
double waiting_share(const struct build *b, const struct slot *slot, int expert, unsigned levels);
const struct rk_chunk *part_times(const struct build *b, const struct slot *slot);
double optimizer_s(const struct build *b, const struct slot *slot, int expert);
double end_gather_s(const struct build *b, const struct slot *slot, int expert);

/* The draft is this layer's, once a step until it is said otherwise; a task of it: `sent` bytes in
 * `link_s`, of which `seconds` are waited for. */
void step_begins(struct build *b, const struct slot *slot, int32_t microbatch);
struct rk_task step_task_of(const struct build *b, const struct slot *slot, const char *name,
                            double sent, double seconds, double link_s, double parameters);
int32_t step_task(struct build *b, const struct slot *slot, const char *name, double sent,
                  double seconds, double link_s, double parameters);

/* Weights, gradients, optimizer (states.c). */
void states_open(struct build *b);
void gather_weights(struct build *b, struct slot *slot, int32_t microbatch, bool forward);
void release_weights(struct build *b, struct slot *slot);
void reduce_fresh(struct build *b, struct slot *slot, int32_t microbatch);
void reduce_layer(struct build *b, struct slot *slot);
void finish_step(struct build *b);
void wait_for_data(struct build *b, uint32_t chunk, int32_t microbatch, bool forward);
void add_fresh(struct build *b, struct slot *slot, int32_t microbatch);
/* Activations and weights in a lower memory tier (transfers.c). */
void reserve_buffers(struct build *b, bool begin);
void offload_activations(struct build *b, struct slot *slot, int32_t microbatch);
void return_activations(struct build *b, struct slot *slot, int32_t microbatch);
void fetch_weights(struct build *b, struct slot *slot, int32_t microbatch, bool forward);
int32_t weights_of(const struct slot *slot, bool expert);
int32_t gradient_of(struct build *b, struct slot *slot, bool expert, int32_t microbatch);

/* Adds events, allocations and frees (events.c). */
void order_streams(struct build *b);

#endif
