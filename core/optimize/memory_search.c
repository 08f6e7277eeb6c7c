#include "optimize/memory_search.h"

#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

/* Lists of numbers, one after the other: those of i are item[from[i]] ... item[from[i + 1] - 1]. */
struct lists {
    int *from;
    int *item;
};

struct old_low {
    int buffer;
    int64_t low;
};

struct old_open {
    int moment, lowest;
    int64_t open;
};

struct place_search {
    size_t given;                      /* buffers of the caller */
    int count;                         /* ... that have a size */
    int *which;                        /* (count) theirs */
    int64_t *size, *alignment, *width; /* (count) */
    int *first, *last;                 /* (count) alive in moments first <= m < last */
    int *twin;                         /* (count) the equal buffer before; -1: none */
    int moments;                       /* each with a live set that no other one contains */
    struct lists beside;               /* (count) buffers that are alive with this one */
    struct lists alive;                /* (moments) buffers */

    /* What the buffers placed so far leave. */
    bool *placed;         /* (count) */
    int64_t *low;         /* (count) lowest address of a buffer to come; of a placed one, its own */
    int64_t *total;       /* (moments) bytes to come */
    int64_t *open;        /* (moments) lowest address of those */
    int *lowest;          /* (moments) which of them has it */
    int *across;          /* (moments) of them, alive in the next moment, too */
    int64_t *result;      /* (count) */
    struct old_low *lows; /* trails, by which a step is taken back */
    struct old_open *opens;
    size_t lows_used, lows_room, opens_used, opens_room;
    struct candidate *candidates;
    size_t candidates_used, candidates_room;

    int order;
    int64_t capacity;
    uint64_t left; /* steps */
    const struct rk_place_options *options;
};

/* Buffers that are alive in moments from <= m < to, in the order in which they are tried. */
struct part {
    const int *member; /* (count) */
    int count, from, to;
};

struct candidate {
    int64_t low;
    int rank; /* in the part */
};

/* ---- the problem, in moments ---- */

struct event {
    int64_t time;
    int buffer;
    bool start;
};

static int by_time(const void *a, const void *b)
{
    const struct event *x = a, *y = b;
    if (x->time != y->time) return x->time < y->time ? -1 : 1;
    if (x->start != y->start) return x->start ? 1 : -1; /* ends come first */
    return x->buffer < y->buffer ? -1 : x->buffer > y->buffer;
}

/* A moment is one just before something ends, if something started since the last one. */
static bool find_moments(struct place_search *s, const struct rk_buffer *buffer)
{
    struct event *event = malloc(2 * (size_t)s->count * sizeof *event + 1);
    if (!event) return false;
    for (int i = 0; i < s->count; i++) {
        event[2 * i] = (struct event){buffer[s->which[i]].start, i, true};
        event[2 * i + 1] = (struct event){buffer[s->which[i]].end, i, false};
    }
    qsort(event, 2 * (size_t)s->count, sizeof *event, by_time);
    bool started = false;
    for (int i = 0; i < 2 * s->count; i++) {
        if (!event[i].start && started) s->moments++;
        started = event[i].start;
        if (started)
            s->first[event[i].buffer] = s->moments;
        else
            s->last[event[i].buffer] = s->moments;
    }
    free(event);
    return true;
}

static bool find_alive(struct place_search *s)
{
    s->alive.from = calloc((size_t)s->moments + 2, sizeof(int));
    if (!s->alive.from) return false;
    int *end = s->alive.from + 1;
    for (int i = 0; i < s->count; i++)
        for (int m = s->first[i]; m < s->last[i]; m++)
            end[m + 1]++;
    for (int m = 0; m < s->moments; m++)
        end[m + 1] += end[m];
    s->alive.item = malloc((size_t)end[s->moments] * sizeof(int) + 1);
    if (!s->alive.item) return false;
    for (int i = 0; i < s->count; i++)
        for (int m = s->first[i]; m < s->last[i]; m++)
            s->alive.item[end[m]++] = i;
    return true;
}

/* Those alive in i's first moment, and those that start later within it. */
static bool find_beside(struct place_search *s)
{
    s->beside.from = calloc((size_t)s->count + 1, sizeof(int));
    if (!s->beside.from) return false;
    for (int fill = 0; fill < 2; fill++) {
        int used = 0;
        for (int i = 0; i < s->count; i++) {
            s->beside.from[i] = used;
            for (int m = s->first[i]; m < s->last[i]; m++)
                for (int k = s->alive.from[m]; k < s->alive.from[m + 1]; k++) {
                    const int j = s->alive.item[k];
                    if (j == i || (m > s->first[i] && s->first[j] < m)) continue;
                    if (fill) s->beside.item[used] = j;
                    used++;
                }
        }
        s->beside.from[s->count] = used;
        if (!fill && !(s->beside.item = malloc((size_t)used * sizeof(int) + 1))) return false;
    }
    return true;
}

static void find_twins(struct place_search *s)
{
    for (int i = 0; i < s->count; i++) {
        s->twin[i] = -1;
        for (int k = s->beside.from[i]; k < s->beside.from[i + 1]; k++) {
            const int j = s->beside.item[k];
            if (j < i && j > s->twin[i] && s->first[j] == s->first[i] && s->last[j] == s->last[i] &&
                s->size[j] == s->size[i] && s->alignment[j] == s->alignment[i])
                s->twin[i] = j;
        }
    }
}

static bool take_room(struct place_search *s)
{
    const size_t n = (size_t)s->given + 1, m = 2 * n;
    return (s->which = malloc(n * sizeof(int))) && (s->size = malloc(n * sizeof(int64_t))) &&
           (s->alignment = malloc(n * sizeof(int64_t))) &&
           (s->width = malloc(n * sizeof(int64_t))) && (s->first = malloc(n * sizeof(int))) &&
           (s->last = malloc(n * sizeof(int))) && (s->twin = malloc(n * sizeof(int))) &&
           (s->placed = malloc(n * sizeof(bool))) && (s->low = malloc(n * sizeof(int64_t))) &&
           (s->total = malloc(m * sizeof(int64_t))) && (s->open = malloc(m * sizeof(int64_t))) &&
           (s->lowest = malloc(m * sizeof(int))) && (s->across = malloc(m * sizeof(int))) &&
           (s->result = malloc(n * sizeof(int64_t)));
}

struct place_search *place_search_open(const struct rk_buffer *buffer, size_t count)
{
    struct place_search *s = calloc(1, sizeof *s);
    if (!s) return NULL;
    s->given = count;
    if (!take_room(s)) goto failed;
    for (size_t i = 0; i < count; i++) {
        if (buffer[i].size == 0) continue;
        s->which[s->count] = (int)i;
        s->size[s->count] = (int64_t)buffer[i].size;
        s->alignment[s->count] = buffer[i].alignment ? (int64_t)buffer[i].alignment : 1;
        s->width[s->count++] = buffer[i].end - buffer[i].start;
    }
    if (!find_moments(s, buffer) || !find_alive(s) || !find_beside(s)) goto failed;
    find_twins(s);
    return s;
failed:
    place_search_close(s);
    return NULL;
}

void place_search_close(struct place_search *s)
{
    if (!s) return;
    void *const owned[] = {
        s->which,       s->size,       s->alignment, s->width, s->first,      s->last,
        s->twin,        s->placed,     s->low,       s->total, s->open,       s->lowest,
        s->across,      s->result,     s->lows,      s->opens, s->candidates, s->beside.from,
        s->beside.item, s->alive.from, s->alive.item};
    for (size_t i = 0; i < sizeof owned / sizeof *owned; i++)
        free(owned[i]);
    free(s);
}

/* ---- one step, and back ---- */

static int64_t aligned(int64_t address, int64_t alignment)
{
    return (address + alignment - 1) & -alignment;
}

/* Which of the buffers to come can start lowest at moment m. There is one. */
static void find_lowest(struct place_search *s, int m)
{
    int64_t open = INT64_MAX;
    int lowest = -1;
    for (int k = s->alive.from[m]; k < s->alive.from[m + 1]; k++) {
        const int i = s->alive.item[k];
        if (!s->placed[i] && s->low[i] < open) {
            open = s->low[i];
            lowest = i;
        }
    }
    s->open[m] = open;
    s->lowest[m] = lowest;
}

/* Places buffer i; the caller has reserved room in both trails. True when a buffer that is alive
 * with it is still to be placed. */
static bool put(struct place_search *s, int i)
{
    const int64_t end = s->low[i] + s->size[i];
    bool beside = false;
    s->placed[i] = true;
    for (int m = s->first[i]; m < s->last[i]; m++)
        s->total[m] -= s->size[i];
    for (int k = s->beside.from[i]; k < s->beside.from[i + 1]; k++) {
        const int j = s->beside.item[k];
        if (s->placed[j]) continue;
        beside = true;
        if (s->low[j] >= end) continue;
        s->lows[s->lows_used++] = (struct old_low){j, s->low[j]};
        s->low[j] = aligned(end, s->alignment[j]);
    }
    return beside;
}

/* Does it still fit at each moment of the part, nothing starting below `floor` any more? */
static bool still_fits(struct place_search *s, const struct part *part, int64_t floor)
{
    for (int m = part->from; m < part->to; m++) {
        if (s->total[m] == 0) continue;
        if (s->placed[s->lowest[m]] || s->low[s->lowest[m]] != s->open[m]) {
            s->opens[s->opens_used++] = (struct old_open){m, s->lowest[m], s->open[m]};
            find_lowest(s, m);
        }
        const int64_t open = s->open[m] > floor ? s->open[m] : floor;
        if (open + s->total[m] > s->capacity) return false;
    }
    return true;
}

static void take_back(struct place_search *s, int i, size_t lows, size_t opens)
{
    while (s->opens_used > opens) {
        const struct old_open *old = &s->opens[--s->opens_used];
        s->open[old->moment] = old->open;
        s->lowest[old->moment] = old->lowest;
    }
    while (s->lows_used > lows) {
        const struct old_low *old = &s->lows[--s->lows_used];
        s->low[old->buffer] = old->low;
    }
    for (int m = s->first[i]; m < s->last[i]; m++)
        s->total[m] += s->size[i];
    s->placed[i] = false;
}

static bool has_room(struct place_search *s, const struct part *part)
{
    return ARRAY_RESERVE(s->lows, s->lows_room, s->lows_used + (size_t)s->count) &&
           ARRAY_RESERVE(s->opens, s->opens_room,
                         s->opens_used + (size_t)(part->to - part->from)) &&
           ARRAY_RESERVE(s->candidates, s->candidates_room,
                         s->candidates_used + (size_t)part->count);
}

/* ---- in which order buffers are tried ---- */

struct ranked {
    int64_t key[3];
    int buffer;
};

static int by_rank(const void *a, const void *b)
{
    const struct ranked *x = a, *y = b;
    for (int i = 0; i < 3; i++)
        if (x->key[i] != y->key[i]) return x->key[i] > y->key[i] ? -1 : 1;
    return x->buffer - y->buffer;
}

/* Three keys, the first that differs decides, the larger goes first: how long it lives, the most
 * bytes to come at one of its moments, and both its dimensions multiplied. */
enum key { KEY_WIDTH, KEY_TOTAL, KEY_AREA };
static const enum key orders[][3] = {
    {KEY_WIDTH, KEY_AREA, KEY_TOTAL},
    {KEY_TOTAL, KEY_AREA, KEY_WIDTH},
    {KEY_TOTAL, KEY_WIDTH, KEY_AREA},
};
enum { ORDERS = sizeof orders / sizeof *orders };

static int64_t key_of(const struct place_search *s, int i, enum key key)
{
    if (key == KEY_WIDTH) return s->width[i];
    if (key == KEY_AREA) {
        int64_t area;
        return __builtin_mul_overflow(s->width[i], s->size[i], &area) ? INT64_MAX : area;
    }
    int64_t most = 0;
    for (int m = s->first[i]; m < s->last[i]; m++)
        if (s->total[m] > most) most = s->total[m];
    return most;
}

/* Sorts member[count]. */
static bool rank(const struct place_search *s, int *member, int count)
{
    struct ranked *ranked = malloc((size_t)count * sizeof *ranked + 1);
    if (!ranked) return false;
    for (int i = 0; i < count; i++) {
        ranked[i].buffer = member[i];
        for (int k = 0; k < 3; k++)
            ranked[i].key[k] = key_of(s, member[i], orders[s->order][k]);
    }
    qsort(ranked, (size_t)count, sizeof *ranked, by_rank);
    for (int i = 0; i < count; i++)
        member[i] = ranked[i].buffer;
    free(ranked);
    return true;
}

/* ---- the search ---- */

static enum place_answer solve(struct place_search *s, const struct part *part, int64_t floor,
                               int rank_at_floor);

/* Buffers to come of `part` that are alive in from <= m < to. */
static enum place_answer solve_between(struct place_search *s, const struct part *part, int from,
                                       int to)
{
    int *member = malloc((size_t)part->count * sizeof(int) + 1);
    int count = 0;
    if (!member) return PLACE_NO_ROOM;
    for (int r = 0; r < part->count; r++) {
        const int i = part->member[r];
        if (!s->placed[i] && s->first[i] >= from && s->first[i] < to) member[count++] = i;
    }
    const struct part smaller = {member, count, from, to};
    enum place_answer answer = PLACE_FOUND;
    if (count > 0) answer = rank(s, member, count) ? solve(s, &smaller, 0, 0) : PLACE_NO_ROOM;
    free(member);
    return answer;
}

/* Once `i` is placed: in one piece, or each of those into which the part falls without it. */
static enum place_answer solve_pieces(struct place_search *s, const struct part *part, int i,
                                      int rank_of_i)
{
    int from = part->from, pieces = 0;
    enum place_answer answer = PLACE_FOUND;
    for (int m = s->first[i]; m + 1 < s->last[i]; m++)
        pieces += --s->across[m] == 0;
    if (pieces == 0) {
        answer = solve(s, part, s->low[i], rank_of_i + 1);
    } else {
        for (int m = s->first[i]; answer == PLACE_FOUND && m + 1 < s->last[i]; m++)
            if (s->across[m] == 0) {
                answer = solve_between(s, part, from, m + 1);
                from = m + 1;
            }
        if (answer == PLACE_FOUND) answer = solve_between(s, part, from, part->to);
    }
    for (int m = s->first[i]; m + 1 < s->last[i]; m++)
        s->across[m]++;
    return answer;
}

/* Buffers of the part that may be next, by address and rank. Returns how many there are; they
 * follow those of the nodes above. -1: all are placed. */
static int find_candidates(struct place_search *s, const struct part *part, int64_t floor,
                           int rank_at_floor)
{
    int64_t ceiling = INT64_MAX;
    for (int r = 0; r < part->count; r++) {
        const int i = part->member[r];
        if (!s->placed[i] && s->low[i] + s->size[i] < ceiling) ceiling = s->low[i] + s->size[i];
    }
    if (ceiling == INT64_MAX) return -1;
    struct candidate *candidate = s->candidates + s->candidates_used;
    int count = 0;
    for (int r = 0; r < part->count; r++) {
        const int i = part->member[r];
        const int64_t low = s->low[i];
        if (s->placed[i] || low >= ceiling || low < floor || (low == floor && r < rank_at_floor))
            continue;
        if (s->twin[i] >= 0 && !s->placed[s->twin[i]]) continue;
        int at = count++;
        for (; at > 0 && candidate[at - 1].low > low; at--)
            candidate[at] = candidate[at - 1];
        candidate[at] = (struct candidate){low, r};
    }
    return count;
}

/* A step of a large problem looks at more than one of a small problem, and counts for more: 4 ns
 * for a buffer or a moment, 1.2 us where there are few. */
static uint64_t price_of(const struct part *part)
{
    return 1 + ((uint64_t)part->count + (uint64_t)(part->to - part->from)) / 256;
}

static enum place_answer solve(struct place_search *s, const struct part *part, int64_t floor,
                               int rank_at_floor)
{
    const uint64_t price = price_of(part);
    if (!has_room(s, part)) return PLACE_NO_ROOM;
    const size_t mine = s->candidates_used;
    const int count = find_candidates(s, part, floor, rank_at_floor);
    if (count < 0) return PLACE_FOUND;
    s->candidates_used += (size_t)count;
    enum place_answer answer = PLACE_NONE;
    for (int c = 0; answer == PLACE_NONE && c < count; c++) {
        if (s->left < price) {
            s->left = 0;
            answer = PLACE_CUT;
            break;
        }
        s->left -= price;
        const struct candidate next = s->candidates[mine + (size_t)c];
        const int i = part->member[next.rank];
        const size_t lows = s->lows_used, opens = s->opens_used;
        const bool beside = put(s, i);
        if (still_fits(s, part, next.low)) answer = solve_pieces(s, part, i, next.rank);
        take_back(s, i, lows, opens);
        if (answer == PLACE_FOUND) s->result[i] = next.low;
        if (!beside) break; /* it is in nobody's way: that the others fail is not its doing */
    }
    s->candidates_used = mine;
    return answer;
}

/* ---- from the start ---- */

static void begin(struct place_search *s, uint64_t capacity)
{
    s->capacity = (int64_t)capacity;
    s->lows_used = s->opens_used = s->candidates_used = 0;
    memset(s->placed, 0, (size_t)s->count * sizeof *s->placed);
    memset(s->low, 0, (size_t)s->count * sizeof *s->low);
    memset(s->total, 0, (size_t)s->moments * sizeof *s->total);
    memset(s->across, 0, (size_t)s->moments * sizeof *s->across);
    for (int i = 0; i < s->count; i++)
        for (int m = s->first[i]; m < s->last[i]; m++) {
            s->total[m] += s->size[i];
            s->across[m] += m + 1 < s->last[i];
        }
    for (int m = 0; m < s->moments; m++)
        find_lowest(s, m);
}

static enum place_answer solve_all(struct place_search *s)
{
    int *member = malloc((size_t)s->count * sizeof(int) + 1);
    if (!member) return PLACE_NO_ROOM;
    for (int i = 0; i < s->count; i++)
        member[i] = i;
    const struct part whole = {member, s->count, 0, s->moments};
    enum place_answer answer = PLACE_FOUND;
    for (int from = 0, m = 0; answer == PLACE_FOUND && m < s->moments; m++)
        if (s->across[m] == 0) {
            answer = solve_between(s, &whole, from, m + 1);
            from = m + 1;
        }
    free(member);
    return answer;
}

enum place_answer place_search_within(struct place_search *s, uint64_t capacity,
                                      const struct rk_place_options *options, uint64_t *steps,
                                      uint64_t *address)
{
    enum place_answer answer = PLACE_CUT;
    s->options = options;
    for (uint64_t round = 2 * (uint64_t)s->count + 2; answer == PLACE_CUT && *steps > 0; round *= 2)
        for (s->order = 0; answer == PLACE_CUT && s->order<ORDERS && * steps> 0; s->order++) {
            if (options && options->stop && options->stop(options->context)) return PLACE_CUT;
            begin(s, capacity);
            const uint64_t most = round < *steps ? round : *steps;
            s->left = most;
            answer = solve_all(s);
            *steps -= most - s->left;
        }
    if (answer == PLACE_FOUND) {
        memset(address, 0, s->given * sizeof *address);
        for (int i = 0; i < s->count; i++)
            address[s->which[i]] = (uint64_t)s->result[i];
    }
    return answer;
}
