/* Golden numbers of allocation: the tiny instances with their optimum, the published ones, and the
 * table of what is alive in them and what five greedy orders reach. */
#include "golden/perturb.h"

#include <reckon/place.h>

/* Weighed sums notice any one number. */
static double weighed(const struct rk_buffer *b, size_t n)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++)
        sum +=
            (double)(i + 1) * ((double)b[i].start + 3 * (double)b[i].end + 7 * (double)b[i].size);
    return sum;
}

static double peak_of(const struct rk_buffer *b, size_t n, double *live)
{
    uint64_t at[16];
    struct rk_placement p;
    if (rk_place(b, n, NULL, at, &p, NULL) != RK_OK) return NAN;
    *live = (double)p.live;
    return (double)p.peak;
}

static size_t buffers_of(const json_t *list, struct rk_buffer *b)
{
    size_t i;
    json_t *row;
    json_array_foreach(list, i, row) b[i] = (struct rk_buffer){
        json_integer_value(json_array_get(row, 0)), json_integer_value(json_array_get(row, 1)),
        (uint64_t)json_integer_value(json_array_get(row, 2)), 1};
    return i;
}

static void check_tiny(const char *name, const struct text *text)
{
    static const double sums[] = {958, 231, 18395, 45238, 1173};
    json_t *root = json_of(text), *row;
    size_t i;
    (void)name;
    json_array_foreach(json_object_get(root, "cases"), i, row)
    {
        struct rk_buffer b[16];
        static const int pass[] = {0, 0, -1};
        const json_t *whole = json_object_get(row, "buffers");
        double live = 0;
        size_t n = buffers_of(whole ? whole : json_object_get(row, "layer"), b);
        if (!whole) n += buffers_of(json_object_get(row, "outside"), b + n);
        near(weighed(b, n), sums[i], 0);
        if (weighed(b, n) != sums[i]) continue;
        near(peak_of(b, n, &live), member(row, "optimum"), 0);
        near(live, member(row, "max_live"), 0);
        if (whole) continue;
        uint64_t at[16];
        struct rk_placement p;
        cr_assert_eq(rk_place_two_levels(b, pass, n, NULL, at, &p, NULL), RK_OK);
        near((double)p.peak, member(row, "two_level"), 0);
    }
    cr_assert_eq(i, sizeof sums / sizeof *sums);
    json_decref(root);
}

Test(allocation, tiny_instances)
{
    perturb("allocation/tiny.json", check_tiny, 86);
}

enum { MOST = 512 };

static size_t instance_of(const char *name, const struct text *text, struct rk_buffer *b)
{
    struct csv csv = csv_of(name, text);
    const size_t rows = csv.rows;
    cr_assert_leq(rows, MOST);
    for (size_t i = 0; i < rows; i++) {
        b[i] = (struct rk_buffer){(int64_t)cell(&csv, i, "lower"), (int64_t)cell(&csv, i, "upper"),
                                  (uint64_t)cell(&csv, i, "size"), 1};
        const char *id = csv_cell(&csv, i, (size_t)csv_column(&csv, "id"));
        char number[24];
        snprintf(number, sizeof number, "%zu", i);
        wrong += id[0] >= '0' && id[0] <= '9' && strcmp(id, number) != 0;
    }
    csv_release(&csv);
    return rows;
}

static const struct {
    const char *file;
    size_t buffers;
    double weighed;
} instances[] = {
    {"A.1048576.csv", 154, 36271702016},  {"B.1048576.csv", 170, 45672829952},
    {"C.1048576.csv", 203, 63145156608},  {"D.1048576.csv", 213, 60853391360},
    {"E.1048576.csv", 215, 74780312576},  {"F.1048576.csv", 296, 139761361920},
    {"G.1048576.csv", 308, 148847803392}, {"H.1048576.csv", 316, 155681862656},
    {"I.1048576.csv", 374, 216391040000}, {"J.1048576.csv", 409, 216913999872},
    {"K.1048576.csv", 454, 351434165248}, {"input.12.csv", 5, 1173},
};
enum { INSTANCES = sizeof instances / sizeof *instances };

static void check_instance(const char *name, const struct text *text)
{
    struct rk_buffer b[MOST];
    const size_t n = instance_of(name, text, b);
    for (size_t i = 0; i < INSTANCES; i++)
        if (strcmp(strchr(name, '/') + 1, instances[i].file) == 0) {
            near((double)n, (double)instances[i].buffers, 0);
            near(weighed(b, n), instances[i].weighed, 0);
        }
}

Test(allocation, instances_as_they_are_published)
{
    for (size_t i = 0; i < INSTANCES; i++) {
        char name[64];
        snprintf(name, sizeof name, "allocation/%s", instances[i].file);
        perturb(name, check_instance, 3 * instances[i].buffers);
    }
}

/* ---- greedy orders, written apart from the solver's ---- */

struct placed {
    uint64_t from, to;
};

static int by_address(const void *a, const void *b)
{
    const struct placed *x = a, *y = b;
    return (x->from > y->from) - (x->from < y->from);
}

/* Buffers in the order of `rank`: into the lowest gap, or the smallest; above all, if none is large
 * enough. */
static double greedy(const struct rk_buffer *b, size_t n, const size_t *rank, bool best)
{
    static uint64_t at[MOST];
    uint64_t peak = 0;
    for (size_t r = 0; r < n; r++) {
        const struct rk_buffer *mine = &b[rank[r]];
        struct placed beside[MOST];
        size_t count = 0;
        for (size_t k = 0; k < r; k++)
            if (b[rank[k]].start < mine->end && mine->start < b[rank[k]].end)
                beside[count++] = (struct placed){at[rank[k]], at[rank[k]] + b[rank[k]].size};
        qsort(beside, count, sizeof *beside, by_address);
        uint64_t top = 0, gap = UINT64_MAX, place = UINT64_MAX;
        for (size_t k = 0; k < count; k++) {
            const uint64_t room = beside[k].from > top ? beside[k].from - top : 0;
            if (room >= mine->size && room < gap && (best || place == UINT64_MAX)) {
                gap = room;
                place = top;
            }
            if (beside[k].to > top) top = beside[k].to;
        }
        at[rank[r]] = place == UINT64_MAX ? top : place;
        if (at[rank[r]] + mine->size > peak) peak = at[rank[r]] + mine->size;
    }
    return (double)peak;
}

static const struct rk_buffer *sorted;

/* -1, 0, 1 */
static int order_of(double a, double b)
{
    return (a > b) - (a < b);
}

static int by_index(const void *x, const void *y)
{
    return order_of((double)*(const size_t *)x, (double)*(const size_t *)y);
}

static int by_start(const void *x, const void *y)
{
    const struct rk_buffer *a = &sorted[*(const size_t *)x], *b = &sorted[*(const size_t *)y];
    const int order = order_of((double)a->start, (double)b->start);
    return order ? order : by_index(x, y);
}

static int by_size(const void *x, const void *y)
{
    const struct rk_buffer *a = &sorted[*(const size_t *)x], *b = &sorted[*(const size_t *)y];
    const int order = order_of((double)b->size, (double)a->size);
    return order ? order : by_start(x, y);
}

static int by_length(const void *x, const void *y)
{
    const struct rk_buffer *a = &sorted[*(const size_t *)x], *b = &sorted[*(const size_t *)y];
    const int order = order_of((double)(b->end - b->start), (double)(a->end - a->start));
    const int larger = order_of((double)b->size, (double)a->size);
    return order ? order : larger ? larger : by_index(x, y);
}

static double greedy_by(const struct rk_buffer *b, size_t n,
                        int (*order)(const void *, const void *), bool best)
{
    size_t rank[MOST];
    for (size_t i = 0; i < n; i++)
        rank[i] = i;
    sorted = b;
    qsort(rank, n, sizeof *rank, order);
    return greedy(b, n, rank, best);
}

/* What a row of instances.csv should have; worked out once. */
enum { COLUMNS = 9 };
static const char *const columns[COLUMNS] = {
    "buffers",           "capacity",           "max_live",
    "best_known",        "first_fit_by_start", "best_fit_by_start",
    "first_fit_by_size", "best_fit_by_size",   "first_fit_by_length"};
static double expected[INSTANCES][COLUMNS];

static void work_out(void)
{
    for (size_t i = 0; i < INSTANCES; i++) {
        char name[64];
        struct rk_buffer b[MOST];
        snprintf(name, sizeof name, "allocation/%s", instances[i].file);
        struct text text = text_load(name);
        const size_t n = instance_of(name, &text, b);
        const double live = (double)rk_place_live(b, n);
        const double capacity = atof(strchr(instances[i].file, '.') + 1);
        const bool open = instances[i].file[0] == 'D' || instances[i].file[0] == 'J';
        const double row[COLUMNS] = {(double)n,
                                     capacity,
                                     live,
                                     open ? capacity : live,
                                     greedy_by(b, n, by_start, false),
                                     greedy_by(b, n, by_start, true),
                                     greedy_by(b, n, by_size, false),
                                     greedy_by(b, n, by_size, true),
                                     greedy_by(b, n, by_length, false)};
        memcpy(expected[i], row, sizeof row);
        free(text.bytes);
    }
}

static void check_table(const char *name, const struct text *text)
{
    struct csv csv = csv_of(name, text);
    cr_assert_eq(csv.rows, INSTANCES);
    for (size_t i = 0; i < INSTANCES; i++)
        for (int k = 0; k < COLUMNS; k++)
            near(cell(&csv, i, columns[k]), expected[i][k], 0);
    csv_release(&csv);
}

Test(allocation, table_of_instances)
{
    work_out();
    perturb("allocation/instances.csv", check_table, INSTANCES * COLUMNS);
}
