#include "program/build.h"

#include "base/memory.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- arrays that grow ---- */

/* Room for one more; false, and the build has failed, without memory. */
#define GROW(b, array, used) (!(b)->failed && !((b)->failed = !ARRAY_ROOM(array, used)))

/* ---- instructions ---- */

void put_begin(struct build *b, enum rk_do what, enum rk_stream stream, int32_t task)
{
    b->draft.what = (uint8_t)what;
    b->draft.stream = (uint8_t)stream;
    b->draft.task = task;
    b->draft.reads = b->draft.writes = 0;
    b->draft.other = b->draft.tag = 0;
    b->draft.count = 0;
    b->draft.element = 0;
    b->draft.tensors = (uint32_t)b->program->references;
}

static bool add_reference(struct build *b, int32_t tensor)
{
    struct rk_program *p = b->program;
    if (tensor == NO_TENSOR || !GROW(b, p->reference, p->references)) return false;
    p->reference[p->references++] = (uint32_t)tensor;
    return true;
}

void put_read(struct build *b, int32_t tensor)
{
    const struct rk_program *p = b->program;
    for (uint32_t i = 0; i < b->draft.reads; i++)
        if (p->reference[b->draft.tensors + i] == (uint32_t)tensor) return;
    b->draft.reads += add_reference(b, tensor);
}

void put_write(struct build *b, int32_t tensor)
{
    b->draft.writes += add_reference(b, tensor);
}

int32_t put_end(struct build *b)
{
    struct rk_program *p = b->program;
    if (!GROW(b, p->instruction, p->instructions) || !GROW(b, b->afters, p->instructions))
        return RK_NONE;
    b->afters[p->instructions] = b->after;
    b->after = RK_NONE;
    p->instruction[p->instructions] = b->draft;
    return b->last[b->draft.stream] = (int32_t)p->instructions++;
}

int32_t put_run(struct build *b, enum rk_stream stream, int32_t task, int32_t read, int32_t write)
{
    put_begin(b, RK_DO_RUN, stream, task);
    put_read(b, read);
    put_write(b, write);
    return put_end(b);
}

void put_collective(struct build *b, const struct place *place, enum rk_stream stream, int32_t task,
                    const struct exchanged *e, int32_t read, int32_t write)
{
    if (ranks_of_group(&place->map, e->over) <= 1) return;
    put_begin(b, e->what, stream, task);
    put_read(b, read);
    put_write(b, write);
    b->draft.element = (uint8_t)e->element;
    b->draft.count = (uint64_t)ceil(e->bytes / e->element_bytes);
    b->draft.other = (uint32_t)group_in(b, (struct place *)place, e->over);
    put_end(b);
}

/* ---- what they name ---- */

static uint64_t mix(uint64_t hash, double number)
{
    uint64_t bits;
    memcpy(&bits, &number, sizeof bits);
    hash = (hash ^ bits) * UINT64_C(0x9e3779b97f4a7c15);
    return hash ^ hash >> 32;
}

/* Of what tasks differ in, mostly. */
static uint64_t hash_of(const struct rk_task *task)
{
    uint64_t hash = (uint64_t)task->work;
    for (const char *name = task->name; *name; name++)
        hash = hash * 31 + (unsigned char)*name;
    hash = mix(mix(hash, task->sent_bytes), task->seconds);
    return mix(mix(hash, task->flop), task->parameters);
}

bool same_task(const struct rk_task *a, const struct rk_task *b)
{
    return a->work == b->work && strcmp(a->name, b->name) == 0 && strcmp(a->layer, b->layer) == 0 &&
           a->flop == b->flop && a->useful_flop == b->useful_flop &&
           a->access_bytes == b->access_bytes && a->sent_bytes == b->sent_bytes &&
           a->seconds == b->seconds && a->link_s == b->link_s && a->keeps_bytes == b->keeps_bytes &&
           a->holding == b->holding && memcmp(a->drops, b->drops, sizeof a->drops) == 0 &&
           a->working_bytes == b->working_bytes &&
           memcmp(a->product, b->product, sizeof a->product) == 0 &&
           a->parameters == b->parameters && a->expert == b->expert;
}

/* One that says the same is the same. */
int32_t new_task(struct build *b, const struct rk_task *task)
{
    struct rk_program *p = b->program;
    uint32_t at = (uint32_t)(hash_of(task) % TASK_SLOTS);
    for (int tries = 0; tries < 8 && b->task_slot[at]; tries++, at = (at + 1) % TASK_SLOTS)
        if (same_task(&p->task[b->task_slot[at] - 1], task)) return b->task_slot[at] - 1;
    if (!GROW(b, p->task, p->tasks)) return RK_NONE;
    p->task[p->tasks] = *task;
    b->task_slot[at] = (int32_t)p->tasks + 1;
    return (int32_t)p->tasks++;
}

int32_t new_form(struct build *b, enum rk_tensor_kind kind, const char *name,
                 enum rk_element element, double rows, double width, double bytes)
{
    struct rk_program *p = b->program;
    if (!GROW(b, p->form, p->forms)) return RK_NONE;
    struct rk_form *form = &p->form[p->forms];
    *form =
        (struct rk_form){.kind = kind, .element = element, .shape = {rows, width}, .bytes = bytes};
    strncpy(form->name, name, sizeof form->name - 1);
    return (int32_t)p->forms++;
}

int32_t new_tensor(struct build *b, int32_t form, int32_t layer, int32_t microbatch)
{
    struct rk_program *p = b->program;
    if (!GROW(b, p->tensor, p->tensors)) return NO_TENSOR;
    p->tensor[p->tensors] = (struct rk_tensor){.form = (uint32_t)form,
                                               .layer = layer,
                                               .microbatch = microbatch,
                                               .first = RK_NONE,
                                               .last = RK_NONE};
    return (int32_t)p->tensors++;
}

int32_t new_group(struct build *b, const char *name, const uint32_t *ranks, uint32_t count)
{
    struct rk_program *p = b->program;
    if (!GROW(b, p->group, p->groups)) return RK_NONE;
    struct rk_group *group = &p->group[p->groups];
    *group = (struct rk_group){.ranks = count, .rank = malloc(count * sizeof *group->rank)};
    b->failed |= !group->rank;
    if (!group->rank) return RK_NONE;
    memcpy(group->rank, ranks, count * sizeof *ranks);
    strncpy(group->name, name, sizeof group->name - 1);
    return (int32_t)p->groups++;
}

#define GROUP(id, name, counted) name,
static const char *const group_names[RANK_GROUPS] = {RANK_GROUPS_OF(GROUP)};
#undef GROUP

int32_t group_in(struct build *b, struct place *place, enum rank_groups over)
{
    if (place->group[over] != RK_NONE) return place->group[over];
    const uint32_t count = (uint32_t)ranks_of_group(&place->map, over);
    uint32_t *ranks = malloc(count * sizeof *ranks);
    b->failed |= !ranks;
    if (!ranks) return 0;
    for (uint32_t i = 0; i < count; i++)
        ranks[i] = member_of(b, &place->map, over, i);
    place->group[over] = new_group(b, group_names[over], ranks, count);
    free(ranks);
    return place->group[over] == RK_NONE ? 0 : place->group[over];
}

/* ---- tensors of a layer and a microbatch ---- */

static struct live **live_at(struct build *b, const struct slot *slot, int32_t microbatch)
{
    return &b->live[(size_t)(slot - b->slot) * b->pipeline.microbatches + (size_t)microbatch];
}

struct live *live_of(struct build *b, const struct slot *slot, int32_t microbatch)
{
    struct live *live = *live_at(b, slot, microbatch);
    return live ? live : live_open(b, slot, microbatch);
}

struct live *live_open(struct build *b, const struct slot *slot, int32_t microbatch)
{
    static struct live none; /* of a build that has failed */
    struct live **at = live_at(b, slot, microbatch);
    if (!*at) {
        *at = malloc(sizeof **at);
        b->failed |= !*at;
        if (!*at) return &none;
        memset(*at, 0xff, sizeof **at); /* NO_TENSOR everywhere */
        (*at)->chunk_away = NULL;
        (*at)->numbered = 0;
    }
    return *at;
}

void live_close(struct build *b, const struct slot *slot, int32_t microbatch)
{
    struct live **at = live_at(b, slot, microbatch);
    if (*at) free((*at)->chunk_away);
    free(*at);
    *at = NULL;
}
