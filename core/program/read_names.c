#include "program/read_names.h"

#include "base/memory.h"
#include "program/build.h"
#include "workload/op.h"

#include <reckon/program.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

static size_t hash_of(const char *name)
{
    uint64_t hash = UINT64_C(14695981039346656037); /* FNV-1a */
    for (; *name; name++)
        hash = (hash ^ (unsigned char)*name) * UINT64_C(1099511628211);
    return (size_t)(hash ^ hash >> 29);
}

static uint32_t *slot_of(const struct reader *r, const char *name)
{
    size_t at = hash_of(name) % r->slots;
    while (r->slot[at] && strcmp(r->name[r->slot[at] - 1], name) != 0)
        at = (at + 1) % r->slots;
    return &r->slot[at];
}

static bool more_slots(struct reader *r)
{
    if (2 * (r->p->tensors + 1) < r->slots) return true;
    const size_t slots = r->slots ? 2 * r->slots : 1024;
    uint32_t *slot = calloc(slots, sizeof *slot);
    if (!slot) return false;
    free(r->slot);
    r->slot = slot;
    r->slots = slots;
    for (size_t i = 0; i < r->p->tensors; i++)
        *slot_of(r, r->name[i]) = (uint32_t)i + 1;
    return true;
}

/* "kind:name.layer.microbatch'number", of which some may be missing. */
static bool read_tensor_name(const struct rk_program *p, const char *text, struct rk_tensor *tensor,
                             struct rk_form *form)
{
    char copy[RK_TENSOR_NAME], *part = copy, *end;
    uint64_t number;
    if (strlen(text) >= sizeof copy) return false;
    strcpy(copy, text);
    if ((end = strchr(copy, '\''))) {
        *end = '\0';
        if (!program_read_read_whole(end + 1, UINT32_MAX, &number)) return false;
        tensor->number = (uint32_t)number;
    }
    char *layer = strchr(copy, '.');
    if (!layer) return false;
    *layer++ = '\0';
    tensor->microbatch = RK_NONE;
    if ((end = strchr(layer, '.'))) {
        *end = '\0';
        if (!program_read_read_whole(end + 1, INT32_MAX, &number)) return false;
        tensor->microbatch = (int32_t)number;
    }
    if (!program_read_read_layer(p, layer, &tensor->layer)) return false;
    int kind = program_read_find_word(rk_program_tensor_kind_name, copy);
    if ((end = strchr(copy, ':'))) {
        *end = '\0';
        kind = program_read_find_word(rk_program_tensor_kind_name, copy);
        part = end + 1;
    } else if (kind > 0) {
        part = copy + strlen(copy);
    } else {
        kind = RK_TENSOR_ACTIVATION;
    }
    if (kind < 0) return false;
    form->kind = (enum rk_tensor_kind)kind;
    program_read_spell(form->name, sizeof form->name, part);
    return true;
}

enum rk_status program_read_add_tensor(struct reader *r, const char *name)
{
    struct rk_program *p = r->p;
    if (!more_slots(r) || !ARRAY_ROOM(p->tensor, p->tensors) || !ARRAY_ROOM(p->form, p->tensors) ||
        !ARRAY_ROOM(r->name, p->tensors))
        return no_memory(r->error);
    uint32_t *slot = slot_of(r, name);
    if (*slot) return program_read_fail(r, "the tensor is allocated twice", name);
    p->tensor[p->tensors] = (struct rk_tensor){
        .form = (uint32_t)p->tensors, .first = (int32_t)p->instructions, .last = RK_NONE};
    p->form[p->tensors] = (struct rk_form){.kind = RK_TENSOR_ACTIVATION};
    if (!read_tensor_name(p, name, &p->tensor[p->tensors], &p->form[p->tensors]))
        return program_read_fail(r, "no name of a tensor, KIND:NAME.LAYER.MICROBATCH", name);
    if (!(r->name[p->tensors] = strdup(name))) return no_memory(r->error);
    *slot = (uint32_t)++p->tensors;
    p->forms = p->tensors;
    return RK_OK;
}

enum rk_status program_read_find_tensor(struct reader *r, const char *name, uint32_t *tensor)
{
    if (!r->slots || !*slot_of(r, name))
        return program_read_fail(r, "a tensor that is not allocated", name);
    *tensor = *slot_of(r, name) - 1;
    return RK_OK;
}

/* ---- groups ---- */

/* "0-7:1", "3,11" */
static bool read_group(const char *text, uint32_t *ranks, uint32_t most, uint32_t *count)
{
    *count = 0;
    while (*text) {
        char *end;
        const uint64_t first = strtoull(text, &end, 10);
        uint64_t last = first, step = 1;
        if (end == text) return false;
        if (*end == '-') {
            last = strtoull(end + 1, &end, 10);
            if (*end != ':') return false;
            step = strtoull(end + 1, &end, 10);
        }
        if (step == 0 || last < first || (*end && *end != ',')) return false;
        for (uint64_t rank = first; rank <= last; rank += step) {
            if (*count == most) return false;
            ranks[(*count)++] = (uint32_t)rank;
        }
        text = end + (*end == ',');
    }
    return *count > 0;
}

enum rk_status program_read_find_group(struct reader *r, const char *text, const char *name,
                                       uint32_t *group)
{
    struct rk_program *p = r->p;
    uint32_t count, *ranks = malloc((p->ranks + 1) * sizeof *ranks);
    if (!ranks || !ARRAY_ROOM(p->group, p->groups)) {
        free(ranks);
        return no_memory(r->error);
    }
    if (!read_group(text, ranks, p->ranks, &count)) {
        free(ranks);
        return program_read_fail(r, "no group of ranks, 0-7:1 or 3,11", text);
    }
    for (*group = 0; *group < p->groups; ++*group) {
        const struct rk_group *known = &p->group[*group];
        if (known->ranks != count || strcmp(known->name, name) != 0 ||
            memcmp(known->rank, ranks, count * sizeof *ranks) != 0)
            continue;
        free(ranks);
        return RK_OK;
    }
    p->group[p->groups] = (struct rk_group){.ranks = count, .rank = ranks};
    strcpy(p->group[p->groups++].name, name);
    return RK_OK;
}
