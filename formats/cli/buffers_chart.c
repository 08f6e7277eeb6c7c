#include "cli/buffers_chart.h"

#include "cli/pages.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Above this number of buffers they are drawn together, in a grid of columns and rows. */
enum { SINGLE = 1500, COLUMNS = 300, ROWS = 1000, STEPS = 600 };

/* Tensors of programs (reckon/program.h) begin with a word for their kind. */
static const struct kind {
    const char *begins;
    struct chart_series series;
} kinds[] = {
    {"w.", {"weights", CHART_BLUE, CHART_POINTS}},
    {"g.", {"weight gradients", CHART_TEAL, CHART_POINTS}},
    {"s.", {"their shards", CHART_LIGHT_ORANGE, CHART_POINTS}},
    {"o.", {"optimizer", CHART_GREEN, CHART_POINTS}},
    {"z.", {"gathered weights", CHART_LIGHT_BLUE, CHART_POINTS}},
    {"d:", {"gradients of activations", CHART_PINK, CHART_POINTS}},
    {"dx", {"gradients of activations", CHART_PINK, CHART_POINTS}},
    {"a:", {"made again in backward", CHART_PURPLE, CHART_POINTS}},
    {"r:", {"others", CHART_GREY, CHART_POINTS}},
    {"", {"activations", CHART_ORANGE, CHART_POINTS}},
};
enum { KINDS = sizeof kinds / sizeof *kinds };

static const char alive_name[] = "alive";

static int kind_of(const char *name)
{
    int i = 0;
    while (strncmp(name, kinds[i].begins, strlen(kinds[i].begins)) != 0)
        i++;
    return i;
}

/* ---- when ---- */

static int by_value(const void *a, const void *b)
{
    const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

/* Moments at which something starts or ends, each once: they are drawn at equal distances. */
struct moments {
    int64_t *at;
    size_t count;
};

static bool find_moments(struct moments *m, const struct buffers *b)
{
    *m = (struct moments){.at = malloc((2 * b->count + 1) * sizeof *m->at)};
    if (!m->at) return false;
    for (size_t i = 0; i < b->count; i++) {
        m->at[2 * i] = b->buffer[i].start;
        m->at[2 * i + 1] = b->buffer[i].end;
    }
    qsort(m->at, 2 * b->count, sizeof *m->at, by_value);
    for (size_t i = 0; i < 2 * b->count; i++)
        if (i == 0 || m->at[i] != m->at[i - 1]) m->at[m->count++] = m->at[i];
    return true;
}

static size_t moment_of(const struct moments *m, int64_t time)
{
    const int64_t *found = bsearch(&time, m->at, m->count, sizeof time, by_value);
    return found ? (size_t)(found - m->at) : 0;
}

/* ---- rectangles ---- */

struct rectangle {
    int kind;
    size_t from, to; /* moments */
    uint64_t address, end;
    uint64_t bytes, buffers;
    const char *name;    /* of the first buffer */
    size_t begins, ends; /* columns of the drawing */
};

static size_t make_rectangles(struct rectangle *to, const struct buffers *b,
                              const uint64_t *address, const struct moments *m)
{
    const size_t column = m->count / COLUMNS + 1;
    size_t count = 0;
    for (size_t i = 0; i < b->count; i++) {
        const struct rk_buffer *buffer = &b->buffer[i];
        const size_t start = moment_of(m, buffer->start), end = moment_of(m, buffer->end);
        if (buffer->size)
            to[count++] = (struct rectangle){
                kind_of(b->id[i]), start, end,      address[i],     address[i] + buffer->size,
                buffer->size,      1,     b->id[i], start / column, end / column};
    }
    return count;
}

static int by_place(const void *a, const void *b)
{
    const struct rectangle *x = a, *y = b;
    if (x->kind != y->kind) return x->kind < y->kind ? -1 : 1;
    if (x->begins != y->begins) return x->begins < y->begins ? -1 : 1;
    if (x->ends != y->ends) return x->ends < y->ends ? -1 : 1;
    if (x->address != y->address) return x->address < y->address ? -1 : 1;
    return (x->from > y->from) - (x->from < y->from);
}

/* Those that would look like one become one; returns how many are left. */
static size_t join_rectangles(struct rectangle *r, size_t count, uint64_t gap)
{
    size_t last = 0;
    if (count) qsort(r, count, sizeof *r, by_place);
    for (size_t i = 1; i < count; i++) {
        struct rectangle *to = &r[last];
        if (r[i].kind != to->kind || r[i].begins != to->begins || r[i].ends != to->ends ||
            r[i].address > to->end + gap) {
            r[++last] = r[i];
            continue;
        }
        if (r[i].from < to->from) to->from = r[i].from;
        if (r[i].to > to->to) to->to = r[i].to;
        if (r[i].end > to->end) to->end = r[i].end;
        to->bytes += r[i].bytes;
        to->buffers += r[i].buffers;
    }
    return count ? last + 1 : 0;
}

/* ---- the chart ---- */

static const struct report_column columns[] = {
    {.name = "kind"},
    {.name = "what"},
    {.name = "from", REPORT_OF(struct rectangle, from), .title = "from event"},
    {.name = "to", REPORT_OF(struct rectangle, to), .title = "to event"},
    {.name = "address", REPORT_OF(struct rectangle, address), .unit = "B"},
    {.name = "end", REPORT_OF(struct rectangle, end), .title = "up to", .unit = "B"},
    {.name = "bytes", REPORT_OF(struct rectangle, bytes), .unit = "B"},
    {.name = "buffers", REPORT_OF(struct rectangle, buffers)},
};

static void add_row(struct html_page *page, struct report_table *table, const char *kind,
                    const struct rectangle *r)
{
    const char *what = r->buffers > 1 ? report_text(&page->memory, "%s and %" PRIu64 " more",
                                                    r->name, r->buffers - 1)
                                      : report_text(&page->memory, "%s", r->name);
    report_item(&page->memory, table, r,
                (const struct report_cell[]){cell_text(kind), cell_text(what)});
}

/* The most that is alive in each of at most STEPS parts of the time. */
static bool add_alive(struct html_page *page, struct report_table *table, const struct buffers *b,
                      const struct moments *m)
{
    int64_t *change = calloc(m->count + 1, sizeof *change);
    if (!change) return false;
    for (size_t i = 0; i < b->count; i++) {
        change[moment_of(m, b->buffer[i].start)] += (int64_t)b->buffer[i].size;
        change[moment_of(m, b->buffer[i].end)] -= (int64_t)b->buffer[i].size;
    }
    const size_t step = m->count / STEPS + 1;
    int64_t alive = 0;
    for (size_t i = 0; i + 1 < m->count; i += step) {
        int64_t most = 0;
        size_t end = i;
        for (; end < i + step && end + 1 < m->count; end++) {
            alive += change[end];
            if (alive > most) most = alive;
        }
        const struct rectangle r = {
            0, i, end, (uint64_t)most, (uint64_t)most, (uint64_t)most, 1, "what is alive, at most",
            0, 0};
        add_row(page, table, alive_name, &r);
    }
    free(change);
    return true;
}

static void add_chart(struct html_page *page, const struct report_table *table, size_t buffers,
                      bool together, const char *source)
{
    static struct chart_series series[KINDS + 1];
    int count = 0;
    for (int i = 0; i < KINDS; i++)
        if (i == 0 || strcmp(kinds[i].series.name, kinds[i - 1].series.name) != 0)
            series[count++] = kinds[i].series;
    series[count++] = (struct chart_series){alive_name, CHART_DARK_GREY, CHART_STEP};
    page_chart(
        page,
        &(struct chart){
            .id = "addresses",
            .title = "Where each buffer of a step lies",
            .kind = CHART_BOXES,
            .caption = report_text(
                &page->memory,
                "%zu buffers%s. Addresses upwards, what happens to the right in its order; the "
                "line is what is alive. Drag over a part to enlarge it.",
                buffers,
                together ? ", those of a kind that begin and end at about the same time and lie "
                           "side by side as one"
                         : ""),
            .source = source,
            .table = table,
            .role = {[CHART_X] = "from",
                     [CHART_X_END] = "to",
                     [CHART_Y] = "address",
                     [CHART_Y_END] = "end",
                     [CHART_SERIES] = "kind",
                     [CHART_LABEL] = "what"},
            .series = series,
            .series_count = count,
            .x = {.title = "allocations and frees, in their order"},
            .y = {.title = "address"}});
}

static uint64_t top_of(const struct buffers *b, const uint64_t *address)
{
    uint64_t top = 0;
    for (size_t i = 0; i < b->count; i++)
        if (address[i] + b->buffer[i].size > top) top = address[i] + b->buffer[i].size;
    return top;
}

void buffers_chart(struct html_page *page, const struct buffers *b, const uint64_t *address,
                   const char *source)
{
    struct report_table *table = page_table(page, columns, sizeof columns / sizeof *columns);
    struct rectangle *r = calloc(b->count + 1, sizeof *r);
    struct moments m = {.at = NULL};
    const bool together = b->count > SINGLE;
    bool enough = r && table && find_moments(&m, b);
    if (enough) {
        size_t count = make_rectangles(r, b, address, &m);
        if (together) count = join_rectangles(r, count, top_of(b, address) / ROWS);
        for (size_t i = 0; i < count; i++)
            add_row(page, table, kinds[r[i].kind].series.name, &r[i]);
        enough = add_alive(page, table, b, &m);
    }
    if (!enough) page->memory.failed = true;
    free(r);
    free(m.at);
    add_chart(page, table, b->count, together, source);
}

enum rk_status buffers_page(const char *path, const char *title, const struct buffers *b,
                            const uint64_t *address, struct rk_error *error)
{
    struct html_page page = {.title = title};
    enum rk_status status = page_draws(path, error);
    if (status != RK_OK) return status;
    html_add(&page,
             &(struct html_block){HTML_VERDICT, .tone = REPORT_GOOD,
                                  .title = report_text(&page.memory,
                                                       "%zu buffers have fixed addresses "
                                                       "within %.2f GiB.",
                                                       b->count, top_of(b, address) / 0x1p30)});
    buffers_chart(&page, b, address, NULL);
    status = page_write(&page, path, NULL, NULL, PAGE_HTML, error);
    html_release(&page);
    return status;
}
