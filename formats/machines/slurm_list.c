#include "machines/slurm_list.h"

#include "base/hash.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The numbers from first to last, as wide as they are written. */
struct range {
    uint64_t first, last;
    int width;
};

static bool read_range(const char *at, const char *end, struct range *range)
{
    uint64_t number[2] = {0, 0};
    int which = 0, digits[2] = {0, 0};
    for (; at < end; at++) {
        if (*at == '-' && which == 0 && digits[0]) {
            which = 1;
        } else if (isdigit((unsigned char)*at) && digits[which] < 9) {
            number[which] = 10 * number[which] + (uint64_t)(*at - '0');
            digits[which]++;
        } else {
            return false;
        }
    }
    if (!digits[which]) return false;
    *range = (struct range){number[0], which ? number[1] : number[0], digits[0]};
    return range->last >= range->first && range->last - range->first < SLURM_MOST_NAMES;
}

/* The next range of a bracket: *at is after the bracket or the comma, `close` the bracket's end. */
static bool next_range(const char **at, const char *close, struct range *range)
{
    const char *comma = memchr(*at, ',', (size_t)(close - *at));
    const char *begin = *at, *end = comma ? comma : close;
    *at = end + 1;
    return read_range(begin, end, range);
}

static bool is_of_names(char byte)
{
    return isalnum((unsigned char)byte) || (byte && strchr("._-", byte));
}

/* How many names one with brackets has; -1: it is none, or one of them is too long, or too many. */
static int64_t count_names(const char *at, const char *end)
{
    uint64_t count = 1;
    int length = 0;
    while (at < end) {
        const char *close = *at == '[' ? memchr(at, ']', (size_t)(end - at)) : NULL;
        uint64_t here = 0;
        int longest = 0;
        if (!close && !is_of_names(*at)) return -1;
        for (const char *range = at + 1; close && range <= close;) {
            struct range r;
            if (!next_range(&range, close, &r)) return -1;
            const int last = snprintf(NULL, 0, "%0*" PRIu64, r.width, r.last);
            longest = last > longest ? last : longest;
            here += r.last - r.first + 1;
            if (here > SLURM_MOST_NAMES) return -1;
        }
        count *= close ? here : 1;
        length += close ? longest : 1;
        if (count > SLURM_MOST_NAMES || length >= SLURM_NAME) return -1;
        at = close ? close + 1 : at + 1;
    }
    return length ? (int64_t)count : -1;
}

/* The end of the name at `at`: a comma outside brackets, or the end of the list. */
static const char *end_of_name(const char *at)
{
    for (bool inside = false; *at && (inside || *at != ','); at++)
        inside = *at == '[' || (inside && *at != ']');
    return at;
}

int64_t slurm_count(const char *list)
{
    int64_t count = 0;
    for (const char *at = list;; at++) {
        const char *end = end_of_name(at);
        const int64_t here = count_names(at, end);
        if (here < 0 || (count += here) > SLURM_MOST_NAMES) return -1;
        if (!*end) return count;
        at = end;
    }
}

struct expansion {
    char name[SLURM_NAME];
    slurm_visit *visit;
    void *context;
};

/* Expands the text from `at` on, appended to the first `used` bytes of e->name; its names were
 * counted before. */
static bool expand(struct expansion *e, size_t used, const char *at, const char *end)
{
    for (; at < end && *at != '['; at++)
        e->name[used++] = *at;
    e->name[used] = '\0';
    if (at == end) return e->visit(e->context, e->name);
    const char *close = memchr(at, ']', (size_t)(end - at));
    struct range r;
    for (const char *range = at + 1; range <= close && next_range(&range, close, &r);)
        for (uint64_t i = r.first; i <= r.last; i++) {
            const int more =
                snprintf(e->name + used, sizeof e->name - used, "%0*" PRIu64, r.width, i);
            if (!expand(e, used + (size_t)more, close + 1, end)) return false;
        }
    return true;
}

bool slurm_names(const char *list, slurm_visit *visit, void *context)
{
    struct expansion e = {.visit = visit, .context = context};
    for (const char *at = list;; at++) {
        const char *end = end_of_name(at);
        if (!expand(&e, 0, at, end)) return false;
        if (!*end) return true;
        at = end;
    }
}

/* ---- names that were seen ---- */

static struct seen_name *slot_of(const struct slurm_seen *seen, const char *name)
{
    size_t i = (size_t)hash_bytes(name, strlen(name)) & (seen->slots - 1);
    while (seen->slot[i].at && strcmp(seen->text + seen->slot[i].at - 1, name) != 0)
        i = (i + 1) & (seen->slots - 1);
    return &seen->slot[i];
}

/* Room for one more name, at most half of the slots taken. */
static bool make_room(struct slurm_seen *seen, size_t length)
{
    if (seen->used + length > seen->text_room) {
        const size_t room = 2 * seen->text_room + length + 1024;
        char *text = realloc(seen->text, room);
        if (!text) return false;
        seen->text = text;
        seen->text_room = room;
    }
    if (2 * seen->count < seen->slots) return true;
    struct slurm_seen more = *seen;
    more.slots = seen->slots ? 2 * seen->slots : 64;
    more.slot = calloc(more.slots, sizeof *more.slot);
    if (!more.slot) return false;
    for (size_t i = 0; i < seen->slots; i++)
        if (seen->slot[i].at) *slot_of(&more, seen->text + seen->slot[i].at - 1) = seen->slot[i];
    free(seen->slot);
    *seen = more;
    return true;
}

int slurm_see(struct slurm_seen *seen, const char *name, int place)
{
    const size_t length = strlen(name) + 1;
    if (!make_room(seen, length)) return -2;
    struct seen_name *slot = slot_of(seen, name);
    if (slot->at) return slot->place;
    *slot = (struct seen_name){seen->used + 1, place};
    memcpy(seen->text + seen->used, name, length);
    seen->used += length;
    seen->count++;
    return -1;
}

void slurm_seen_release(struct slurm_seen *seen)
{
    free(seen->text);
    free(seen->slot);
}
