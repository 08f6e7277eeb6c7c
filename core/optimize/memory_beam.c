#include "optimize/memory_beam.h"

#include <stdlib.h>
#include <string.h>

enum { BEAM_BRANCHES = 16, BEAM_MOMENTS = 1 << 14 };

static const uint32_t none = UINT32_MAX;

/* What all states share. Moments are the intervals between two changes of what is alive. */
struct beam {
    const struct rk_buffer *buffer;
    size_t count, moments, width;
    uint32_t *from, *to; /* (count) moments of a buffer, from <= m < to; from == to: no size */
    uint32_t *begins;    /* (moments + 1) index into by_begin of those that begin there */
    uint32_t *by_begin;  /* (count) */
    double *length;      /* (moments) */
    uint64_t *live;      /* (moments) bytes alive */
    uint64_t *key;       /* (count) random, for sets of buffers */
    struct step *step;   /* (steps) how states came about */
    size_t steps, room;
};

/* A buffer at an address, or a part that was given up (buffer: none), after step `before`. */
struct step {
    uint32_t buffer, before;
    uint64_t address;
};

struct state {
    uint64_t *height, *left; /* (moments) skyline, bytes that are still to be placed */
    uint8_t *placed;         /* (count) */
    uint64_t peak, set;      /* the lowest that it can end with; of the buffers placed */
    double wasted;
    uint32_t step, to_place, breaks; /* where the skyline changes its height */
};

/* A state to be: what is done to which one. */
struct child {
    uint64_t peak, set, address;
    double wasted;
    uint32_t parent, buffer, breaks;
    uint32_t from, to; /* the part, for those that are given up */
};

static int by_promise(const void *a, const void *b)
{
    const struct child *x = a, *y = b;
    if (x->peak != y->peak) return x->peak < y->peak ? -1 : 1;
    if (x->wasted != y->wasted) return x->wasted < y->wasted ? -1 : 1;
    if (x->breaks != y->breaks) return x->breaks < y->breaks ? -1 : 1;
    if (x->set != y->set) return x->set < y->set ? -1 : 1;
    if (x->parent != y->parent) return x->parent < y->parent ? -1 : 1;
    return x->buffer < y->buffer ? -1 : x->buffer > y->buffer;
}

/* ---- the lowest part of a skyline ---- */

struct part {
    uint32_t from, to;
    uint64_t height, wall; /* the lower of both sides; UINT64_MAX: none */
};

static bool lowest_part(const struct beam *b, const struct state *s, struct part *part)
{
    *part = (struct part){.height = UINT64_MAX, .wall = UINT64_MAX};
    for (uint32_t m = 0; m < b->moments; m++)
        if (s->left[m] && s->height[m] < part->height) {
            part->height = s->height[m];
            part->from = m;
        }
    if (part->height == UINT64_MAX) return false;
    uint32_t m = part->from;
    while (m < b->moments && s->left[m] && s->height[m] == part->height)
        m++;
    part->to = m;
    if (part->from > 0 && s->left[part->from - 1]) part->wall = s->height[part->from - 1];
    if (m < b->moments && s->left[m] && s->height[m] < part->wall) part->wall = s->height[m];
    return true;
}

static uint64_t aligned(uint64_t address, uint64_t alignment)
{
    return alignment > 1 ? (address + alignment - 1) & -alignment : address;
}

/* Is there a break between moment m and a height after it? */
static bool breaks_at(const struct state *s, const struct beam *b, uint32_t m, uint64_t height)
{
    return m < b->moments && s->left[m] && s->height[m] != height;
}

/* Breaks of the skyline when moments [from, to) of a part rise to `height`. */
static uint32_t breaks_then(const struct beam *b, const struct state *s, uint32_t from, uint32_t to,
                            uint64_t height)
{
    const uint64_t now = s->height[from];
    const uint32_t before = breaks_at(s, b, from - 1, now) + breaks_at(s, b, to, now);
    return s->breaks - before + breaks_at(s, b, from - 1, height) + breaks_at(s, b, to, height);
}

static uint32_t count_breaks(const struct beam *b, const struct state *s)
{
    uint32_t breaks = 0;
    for (uint32_t m = 1; m < b->moments; m++)
        breaks += s->left[m] && s->left[m - 1] && s->height[m] != s->height[m - 1];
    return breaks;
}

/* What is wasted below an address over moments [from, to) of the part. */
static void waste(const struct beam *b, const struct state *s, uint32_t from, uint32_t to,
                  uint64_t by, struct child *child)
{
    child->peak = s->peak;
    child->wasted = s->wasted;
    for (uint32_t m = from; by && m < to; m++) {
        const uint64_t end = s->height[m] + by + s->left[m];
        if (end > child->peak) child->peak = end;
        child->wasted += (double)by * b->length[m];
    }
}

/* Of the buffers that begin at moment m and end within the part. Returns how many children. */
static size_t add_at(const struct beam *b, const struct state *s, uint32_t parent,
                     const struct part *part, uint32_t m, struct child *child, size_t made)
{
    for (uint32_t k = b->begins[m]; k < b->begins[m + 1] && made < BEAM_BRANCHES; k++) {
        const uint32_t i = b->by_begin[k];
        if (s->placed[i] || b->to[i] > part->to) continue;
        struct child *c = &child[made++];
        *c = (struct child){.parent = parent,
                            .buffer = i,
                            .address = aligned(part->height, b->buffer[i].alignment),
                            .set = s->set ^ b->key[i]};
        waste(b, s, b->from[i], b->to[i], c->address - part->height, c);
        c->breaks = breaks_then(b, s, b->from[i], b->to[i], c->address + b->buffer[i].size);
    }
    return made;
}

static size_t children_of(const struct beam *b, const struct state *s, uint32_t parent,
                          struct child child[BEAM_BRANCHES + 1])
{
    struct part part;
    size_t made = 0;
    if (!lowest_part(b, s, &part)) return 0;
    made = add_at(b, s, parent, &part, part.from, child, made);
    const size_t first = made;
    for (uint32_t m = part.from + 1; m < part.to && made == first; m++)
        made = add_at(b, s, parent, &part, m, child, made);
    if (part.wall == UINT64_MAX) return made;
    struct child *c = &child[made++];
    *c = (struct child){.parent = parent,
                        .buffer = none,
                        .address = part.wall,
                        .from = part.from,
                        .to = part.to,
                        .set = s->set};
    waste(b, s, part.from, part.to, part.wall - part.height, c);
    c->breaks = breaks_then(b, s, part.from, part.to, part.wall);
    return made;
}

/* ---- states ---- */

static bool note_step(struct beam *b, const struct child *c, uint32_t before)
{
    if (b->steps == b->room) {
        const size_t room = 2 * b->room + 1024;
        struct step *grown = realloc(b->step, room * sizeof *grown);
        if (!grown) return false;
        b->step = grown;
        b->room = room;
    }
    b->step[b->steps++] = (struct step){c->buffer, before, c->address};
    return true;
}

static bool make_state(struct beam *b, const struct child *c, const struct state *parent,
                       struct state *s)
{
    memcpy(s->height, parent->height, b->moments * sizeof *s->height);
    memcpy(s->left, parent->left, b->moments * sizeof *s->left);
    memcpy(s->placed, parent->placed, b->count);
    s->peak = c->peak;
    s->set = c->set;
    s->wasted = c->wasted;
    s->to_place = parent->to_place;
    if (c->buffer == none) {
        for (uint32_t m = c->from; m < c->to; m++)
            s->height[m] = c->address;
    } else {
        const uint64_t size = b->buffer[c->buffer].size;
        for (uint32_t m = b->from[c->buffer]; m < b->to[c->buffer]; m++) {
            s->height[m] = c->address + size;
            s->left[m] -= size;
        }
        s->placed[c->buffer] = 1;
        s->to_place--;
    }
    s->breaks = count_breaks(b, s);
    s->step = (uint32_t)b->steps;
    return note_step(b, c, parent->step);
}

static void read_addresses(const struct beam *b, uint32_t step, uint64_t *address)
{
    for (; step != none; step = b->step[step].before)
        if (b->step[step].buffer != none) address[b->step[step].buffer] = b->step[step].address;
}

static bool open_state(const struct beam *b, struct state *s)
{
    *s = (struct state){.height = calloc(b->moments + 1, sizeof *s->height),
                        .left = malloc((b->moments + 1) * sizeof *s->left),
                        .placed = calloc(b->count + 1, 1),
                        .step = none};
    return s->height && s->left && s->placed;
}

static void close_states(struct state *s, size_t count)
{
    for (size_t i = 0; s && i < count; i++) {
        free(s[i].height);
        free(s[i].left);
        free(s[i].placed);
    }
    free(s);
}

static struct state *open_states(const struct beam *b)
{
    struct state *s = calloc(b->width, sizeof *s);
    for (size_t i = 0; s && i < b->width; i++)
        if (!open_state(b, &s[i])) {
            close_states(s, b->width);
            return NULL;
        }
    return s;
}

/* ---- the search ---- */

struct search {
    struct beam *beam;
    struct state *now, *next; /* (width) */
    struct child *child;      /* (width, BEAM_BRANCHES + 1) */
    size_t states;
    uint64_t peak; /* to be beaten, then the best */
    bool found, room;
};

/* The best children, of equal ones the first. */
static void choose(struct search *s, size_t children, uint64_t *address)
{
    struct beam *b = s->beam;
    size_t made = 0;
    const struct child *last = NULL;
    qsort(s->child, children, sizeof *s->child, by_promise);
    for (size_t i = 0; i < children && made < b->width && s->room; i++) {
        const struct child *c = &s->child[i];
        if (c->peak >= s->peak) break;
        if (last && c->set == last->set && c->peak == last->peak && c->wasted == last->wasted &&
            c->breaks == last->breaks && (c->buffer == none) == (last->buffer == none))
            continue;
        last = c;
        s->room = make_state(b, c, &s->now[c->parent], &s->next[made]);
        if (s->room && s->next[made].to_place == 0) {
            s->found = true;
            s->peak = c->peak;
            read_addresses(b, s->next[made].step, address);
        } else {
            made++;
        }
    }
    struct state *kept = s->now;
    s->now = s->next;
    s->next = kept;
    s->states = made;
}

static void run(struct search *s, uint64_t *steps, uint64_t *address)
{
    const struct beam *b = s->beam;
    while (s->states && s->room) {
        const uint64_t cost = 1 + s->states * b->moments / 64;
        size_t children = 0;
        if (*steps < cost) {
            *steps = 0;
            return;
        }
        *steps -= cost;
        for (size_t i = 0; i < s->states; i++)
            children += children_of(b, &s->now[i], (uint32_t)i, &s->child[children]);
        choose(s, children, address);
    }
}

/* ---- moments ---- */

static int by_value(const void *a, const void *b)
{
    const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

static uint32_t moment_of(const int64_t *time, size_t times, int64_t at)
{
    size_t from = 0, to = times;
    while (from < to) {
        const size_t middle = from + (to - from) / 2;
        if (time[middle] < at)
            from = middle + 1;
        else
            to = middle;
    }
    return (uint32_t)from;
}

/* Times in order, each once; (2 * count) room. */
static size_t sort_times(const struct rk_buffer *buffer, size_t count, int64_t *time)
{
    size_t times = 0;
    for (size_t i = 0; i < count; i++) {
        time[2 * i] = buffer[i].start;
        time[2 * i + 1] = buffer[i].end;
    }
    qsort(time, 2 * count, sizeof *time, by_value);
    for (size_t i = 0; i < 2 * count; i++)
        if (!times || time[times - 1] != time[i]) time[times++] = time[i];
    return times;
}

/* A fixed sequence of numbers: the same beam on every machine [steele2014]. */
static uint64_t next_number(uint64_t *state)
{
    uint64_t z = *state += UINT64_C(0x9E3779B97F4A7C15);
    z = (z ^ (z >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94D049BB133111EB);
    return z ^ (z >> 31);
}

static void fill_buffers(struct beam *b, const int64_t *time, size_t times, bool backwards,
                         uint64_t seed)
{
    for (size_t m = 0; m < b->moments; m++) {
        const size_t at = backwards ? b->moments - 1 - m : m;
        b->length[m] = (double)time[at + 1] - (double)time[at];
    }
    for (size_t i = 0; i < b->count; i++) {
        const uint32_t from = moment_of(time, times, b->buffer[i].start);
        const uint32_t to = moment_of(time, times, b->buffer[i].end);
        const bool empty = b->buffer[i].size == 0;
        b->from[i] = backwards ? (uint32_t)b->moments - to : from;
        b->to[i] = empty ? b->from[i] : backwards ? (uint32_t)b->moments - from : to;
        b->key[i] = next_number(&seed);
        for (uint32_t m = b->from[i]; m < b->to[i]; m++)
            b->live[m] += b->buffer[i].size;
        if (!empty) b->begins[b->from[i] + 1]++;
    }
}

/* Those that begin at a moment, larger areas first: children are limited. */
static void sort_begins(struct beam *b)
{
    for (size_t m = 0; m < b->moments; m++)
        b->begins[m + 1] += b->begins[m];
    uint32_t *filled = calloc(b->moments + 1, sizeof *filled);
    for (size_t i = 0; filled && i < b->count; i++) {
        if (b->from[i] == b->to[i]) continue;
        const uint32_t m = b->from[i], first = b->begins[m];
        const double area = (double)b->buffer[i].size * (b->to[i] - b->from[i]);
        uint32_t at = first + filled[m]++;
        for (; at > first; at--) {
            const uint32_t other = b->by_begin[at - 1];
            if ((double)b->buffer[other].size * (b->to[other] - b->from[other]) >= area) break;
            b->by_begin[at] = other;
        }
        b->by_begin[at] = (uint32_t)i;
    }
    if (!filled) b->moments = 0;
    free(filled);
}

static bool open_beam(struct beam *b, bool backwards, uint64_t seed)
{
    int64_t *time = malloc((2 * b->count + 1) * sizeof *time);
    const size_t times = time ? sort_times(b->buffer, b->count, time) : 0;
    b->moments = times ? times - 1 : 0;
    b->from = malloc((b->count + 1) * sizeof *b->from);
    b->to = malloc((b->count + 1) * sizeof *b->to);
    b->by_begin = malloc((b->count + 1) * sizeof *b->by_begin);
    b->key = malloc((b->count + 1) * sizeof *b->key);
    b->begins = calloc(b->moments + 2, sizeof *b->begins);
    b->length = malloc((b->moments + 1) * sizeof *b->length);
    b->live = calloc(b->moments + 1, sizeof *b->live);
    bool room =
        time && b->from && b->to && b->by_begin && b->key && b->begins && b->length && b->live;
    room = room && b->moments && b->moments <= BEAM_MOMENTS;
    if (room) {
        fill_buffers(b, time, times, backwards, seed);
        sort_begins(b);
    }
    free(time);
    return room && b->moments;
}

static void close_beam(struct beam *b)
{
    free(b->from);
    free(b->to);
    free(b->by_begin);
    free(b->key);
    free(b->begins);
    free(b->length);
    free(b->live);
    free(b->step);
}

static void begin(struct search *s, uint64_t *address)
{
    struct beam *b = s->beam;
    struct state *first = &s->now[0];
    memcpy(first->left, b->live, b->moments * sizeof *b->live);
    for (size_t m = 0; m < b->moments; m++)
        if (b->live[m] > first->peak) first->peak = b->live[m];
    for (size_t i = 0; i < b->count; i++) {
        first->to_place += b->from[i] != b->to[i];
        if (b->from[i] == b->to[i]) address[i] = 0;
    }
    s->states = first->to_place > 0;
}

bool place_beam(const struct rk_buffer *buffer, size_t count, size_t width, int attempt,
                uint64_t peak, uint64_t *steps, uint64_t *address)
{
    struct beam b = {.buffer = buffer, .count = count, .width = width};
    struct search s = {.beam = &b, .peak = peak, .room = true};
    if (count && open_beam(&b, attempt % 2, (uint64_t)attempt / 2 + 1)) {
        s.now = open_states(&b);
        s.next = open_states(&b);
        s.child = malloc(width * (BEAM_BRANCHES + 1) * sizeof *s.child);
        if (s.now && s.next && s.child) {
            begin(&s, address);
            run(&s, steps, address);
        }
        close_states(s.now, width);
        close_states(s.next, width);
        free(s.child);
    }
    close_beam(&b);
    return s.found;
}
