#include "interop/slurm.h"

#include "base/memory.h"
#include "base/text.h"
#include "interop/lines.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { MOST_NAMES = 1 << 20, MOST_SWITCHES = 1 << 14 };

/* ---- lists of names ---- */

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
    return range->last >= range->first && range->last - range->first < MOST_NAMES;
}

/* The next range of a bracket: *at is behind the bracket or the comma, `close` the bracket's end.
 */
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
            if (here > MOST_NAMES) return -1;
        }
        count *= close ? here : 1;
        length += close ? longest : 1;
        if (count > MOST_NAMES || length >= SLURM_NAME) return -1;
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
        if (here < 0 || (count += here) > MOST_NAMES) return -1;
        if (!*end) return count;
        at = end;
    }
}

typedef bool name_visit(void *context, const char *name);

struct expansion {
    char name[SLURM_NAME];
    name_visit *visit;
    void *context;
};

/* What stands from `at` on, behind e->name up to `used`; of names that were counted. */
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

/* False: `visit` said so. Requires slurm_count(list) >= 0. */
static bool visit_names(const char *list, name_visit *visit, void *context)
{
    struct expansion e = {.visit = visit, .context = context};
    for (const char *at = list;; at++) {
        const char *end = end_of_name(at);
        if (!expand(&e, 0, at, end)) return false;
        if (!*end) return true;
        at = end;
    }
}

/* ---- switches ---- */

struct slurm_switch {
    char name[SLURM_NAME];
    char *below; /* Switches=; NULL: none */
    int line, above;
    uint64_t nodes;
};

struct reader {
    struct lines lines;
    struct rk_error *error;
    int count;
    struct slurm_switch *at; /* (count) */
};

static int find_switch(const struct reader *r, const char *name)
{
    for (int i = 0; i < r->count; i++)
        if (strcmp(r->at[i].name, name) == 0) return i;
    return -1;
}

static enum rk_status read_word(struct reader *r, const char *word, struct slurm_switch *into)
{
    char said[TEXT_QUOTE];
    static const char *const keys[] = {"SwitchName", "Switches", "Nodes",
                                       "LinkSpeed",  "Level",    NULL};
    static const char twice[] = "%s is given twice in a line";
    const char *equals = strchr(word, '=');
    char key[32] = "";
    if (equals && equals - word < (int)sizeof key)
        snprintf(key, sizeof key, "%.*s", (int)(equals - word), word);
    if (strcasecmp(key, "BlockName") == 0 || strcasecmp(key, "BlockSizes") == 0)
        return lines_fail(&r->lines, r->error,
                          "blocks (topology/block) are not read; topology/tree is");
    if (strcasecmp(key, "SwitchName") == 0) {
        if (into->name[0]) return lines_fail(&r->lines, r->error, twice, key);
        if (slurm_count(equals + 1) != 1)
            return lines_fail(&r->lines, r->error, "SwitchName is one name");
        snprintf(into->name, sizeof into->name, "%s", equals + 1);
    } else if (strcasecmp(key, "Nodes") == 0) {
        const int64_t nodes = slurm_count(equals + 1);
        if (into->nodes) return lines_fail(&r->lines, r->error, twice, key);
        if (nodes < 0)
            return lines_fail(&r->lines, r->error, "%s is no list of nodes such as n[00-15],m1",
                              text_quote(said, equals + 1, strlen(equals + 1)));
        into->nodes = (uint64_t)nodes;
    } else if (strcasecmp(key, "Switches") == 0) {
        if (into->below) return lines_fail(&r->lines, r->error, twice, key);
        if (slurm_count(equals + 1) < 0)
            return lines_fail(&r->lines, r->error, "Switches= is no list such as s[0-3]");
        into->below = strdup(equals + 1);
        if (!into->below) return no_memory(r->error);
    } else if (strcasecmp(key, "LinkSpeed") != 0 && strcasecmp(key, "Level") != 0) {
        const char *nearest = text_nearest(key, keys);
        return lines_fail(&r->lines, r->error, "unknown word %s: %s%s%s",
                          text_quote(said, word, strlen(word)),
                          nearest ? "did you mean \"" : "expected SwitchName=, Nodes=, Switches=",
                          nearest ? nearest : "", nearest ? "\"?" : "");
    }
    return RK_OK;
}

static enum rk_status read_switch(struct reader *r)
{
    if (r->count == MOST_SWITCHES) return lines_fail(&r->lines, r->error, "too many switches");
    if (!ARRAY_ROOM(r->at, r->count)) return no_memory(r->error);
    struct slurm_switch *into = &r->at[r->count];
    *into = (struct slurm_switch){.line = r->lines.number, .above = -1};
    enum rk_status status = RK_OK;
    for (int i = 0; status == RK_OK && i < r->lines.words; i++)
        status = read_word(r, r->lines.word[i], into);
    if (status == RK_OK && !into->name[0])
        status = lines_fail(&r->lines, r->error, "expected SwitchName=NAME");
    if (status == RK_OK && find_switch(r, into->name) >= 0)
        status = lines_fail(&r->lines, r->error, "a second switch \"%s\"", into->name);
    if (status == RK_OK && !into->nodes == !into->below)
        status = lines_fail(&r->lines, r->error, "a switch has either Nodes= or Switches=");
    r->count++; /* so that it is released */
    return status;
}

struct joint {
    struct reader *reader;
    int above;
    char wrong[SLURM_NAME];
    bool twice;
};

static bool join(void *context, const char *name)
{
    struct joint *j = context;
    const int below = find_switch(j->reader, name);
    j->twice = below >= 0 && j->reader->at[below].above >= 0;
    if (below < 0 || j->twice) {
        snprintf(j->wrong, sizeof j->wrong, "%s", name);
        return false;
    }
    j->reader->at[below].above = j->above;
    return true;
}

static enum rk_status join_switches(struct reader *r)
{
    for (int i = 0; i < r->count; i++) {
        struct joint joint = {.reader = r, .above = i};
        if (!r->at[i].below || visit_names(r->at[i].below, join, &joint)) continue;
        r->lines.number = r->at[i].line;
        return lines_fail(&r->lines, r->error,
                          joint.twice ? "switch \"%s\" is below two others"
                                      : "there is no switch \"%s\"",
                          joint.wrong);
    }
    return RK_OK;
}

/* ---- networks ---- */

/* The top switch above one; -1: it is above itself. */
static int top_of(const struct reader *r, int i)
{
    for (int steps = 0; steps <= r->count; steps++) {
        if (r->at[i].above < 0) return i;
        i = r->at[i].above;
    }
    return -1;
}

static enum rk_status collect(struct reader *r, struct slurm_topology *topology)
{
    int *place = calloc((size_t)r->count + 1, sizeof *place); /* of a top switch, from 1 */
    topology->network = calloc((size_t)r->count + 1, sizeof *topology->network);
    enum rk_status status = place && topology->network ? RK_OK : no_memory(r->error);
    for (int i = 0; status == RK_OK && i < r->count; i++) {
        const int top = top_of(r, i);
        r->lines.number = r->at[i].line;
        if (top < 0) {
            status =
                lines_fail(&r->lines, r->error, "switch \"%s\" is below itself", r->at[i].name);
            break;
        }
        if (!r->at[i].nodes) continue;
        if (!place[top]) {
            place[top] = ++topology->networks;
            snprintf(topology->network[place[top] - 1].name, SLURM_NAME, "%s", r->at[top].name);
        }
        struct slurm_network *network = &topology->network[place[top] - 1];
        network->nodes += r->at[i].nodes;
        if (!network->leaves++ || r->at[i].nodes < network->leaf_nodes)
            network->leaf_nodes = r->at[i].nodes;
    }
    free(place);
    if (status == RK_OK && !topology->networks)
        status = lines_fail(&r->lines, r->error,
                            "no switch with nodes: expected SwitchName=s0 Nodes=n[0-7]");
    return status;
}

void slurm_topology_release(struct slurm_topology *topology)
{
    free(topology->network);
    *topology = (struct slurm_topology){.networks = 0};
}

enum rk_status slurm_topology_read(const struct document *document, struct slurm_topology *topology,
                                   struct rk_error *error)
{
    struct reader r = {.lines = {.document = document}, .error = error};
    enum rk_status status = RK_OK;
    *topology = (struct slurm_topology){.networks = 0};
    while (status == RK_OK && lines_next(&r.lines)) {
        if (strlen(r.lines.text) + 1 >= LINE_SIZE)
            status =
                lines_fail(&r.lines, error, "a line of more than %d characters", LINE_SIZE - 2);
        char *comment = strchr(r.lines.text, '#');
        if (comment) *comment = '\0';
        lines_split(&r.lines, false);
        if (status == RK_OK && r.lines.words) status = read_switch(&r);
    }
    if (status == RK_OK) status = join_switches(&r);
    if (status == RK_OK) status = collect(&r, topology);
    if (status != RK_OK) slurm_topology_release(topology);
    for (int i = 0; i < r.count; i++)
        free(r.at[i].below);
    free(r.at);
    return status;
}
