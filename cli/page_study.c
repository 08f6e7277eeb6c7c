/* The page of a study: for each of its figures, charts chosen by what varies in it. */
#include "cli/page_study.h"
#include "base/memory.h"
#include "base/number.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char *const fixed_ways[FIXED_WAYS] = {"model", "system", "gpus", "max_batch",
                                                   "datatype"};

/* ---- reading ---- */

enum { FIRST_FIGURE = FIXED_WAYS + 8, FIGURES = 10 };

/* The columns that study_read_point takes, FROM what follows. */
const char *study_points_sql(struct html_page *page, const char *from)
{
    struct report *memory = &page->memory;
    const char *sql = "SELECT model, system, gpus, max_batch, datatype, figure, axes, point, "
                      "strategies, fits, tensor, pipeline, data, step_s, samples_per_s, mfu, "
                      "compute_efficiency, system_efficiency, hbm_bytes, offload_bytes, days, "
                      "cost_usd, energy_kWh";
    for (int i = 0; i < PARTS; i++)
        sql = report_text(memory, "%s, %s", sql, study_part_names[i]);
    for (int i = 0; i < RK_CATEGORIES; i++)
        sql = report_text(memory, "%s, hbm_%s_bytes", sql, rk_category_name((enum rk_category)i));
    return report_text(
        memory, "%s, (SELECT title FROM figure WHERE number = figure_number) FROM %s", sql, from);
}

static uint64_t count_of(const struct study_value *value)
{
    return value->type == STUDY_INTEGER && value->integer > 0 ? (uint64_t)value->integer : 0;
}

static double number_of(const struct study_value *value)
{
    if (value->type == STUDY_INTEGER) return (double)value->integer;
    return value->type == STUDY_REAL ? value->real : NAN;
}

static const char *text_of(struct html_page *page, const struct study_value *value)
{
    struct report *memory = &page->memory;
    if (value->type == STUDY_TEXT) return report_text(memory, "%s", value->text);
    if (value->type == STUDY_INTEGER) return report_text(memory, "%" PRId64, value->integer);
    return value->type == STUDY_REAL ? report_text(memory, "%g", value->real) : "";
}

/* The axis' place among the ways, made if it is new; -1 when there are too many. */
static int find_way(struct study_page *s, const char *name, size_t length)
{
    for (int i = 0; i < s->ways; i++)
        if (strlen(s->way[i]) == length && strncmp(s->way[i], name, length) == 0) return i;
    if (s->ways == MOST_WAYS) return -1;
    s->way[s->ways] = report_text(&s->page->memory, "%.*s", (int)length, name);
    return s->ways++;
}

/* "tensor=8,16 recompute=none". False: too many ways. */
static bool read_axes(struct study_page *s, struct point *point)
{
    for (const char *at = point->axes; *at; at += strspn(at, " ")) {
        const size_t length = strcspn(at, " "), name = strcspn(at, "= ");
        at += length;
        if (name >= length) continue;
        const int way = find_way(s, at - length, name);
        if (way < 0) return false;
        point->way[way] =
            report_text(&s->page->memory, "%.*s", (int)(length - name - 1), at - length + name + 1);
    }
    return true;
}

enum rk_status study_read_point(void *context, int columns, const char *const *names,
                                const struct study_value *v, struct rk_error *error)
{
    struct study_page *s = context;
    (void)names;
    if (!ARRAY_ROOM(s->point, s->count))
        return rk_fail(error, RK_NO_MEMORY, s->path, 0, 0, "out of memory");
    struct point *p = &s->point[s->count++];
    *p = (struct point){.runs = v[FIRST_FIGURE].type != STUDY_NULL, .label = ""};
    for (int i = 0; i < FIXED_WAYS; i++)
        p->way[i] = text_of(s->page, &v[i]);
    p->gpus = count_of(&v[2]);
    p->figure = text_of(s->page, &v[5]);
    p->axes = text_of(s->page, &v[6]);
    uint64_t *const counts[] = {&p->number, &p->strategies, &p->fits,
                                &p->tensor, &p->pipeline,   &p->data};
    for (int i = 0; i < COUNT_OF(counts); i++)
        *counts[i] = count_of(&v[7 + i]);
    double *const figures[FIGURES] = {
        &p->step_s,    &p->samples_per_s, &p->mfu,  &p->compute,  &p->system,
        &p->hbm_bytes, &p->offload_bytes, &p->days, &p->cost_usd, &p->energy_kWh};
    for (int i = 0; i < FIGURES; i++)
        *figures[i] = number_of(&v[FIRST_FIGURE + i]);
    for (int i = 0; i < PARTS; i++)
        p->part_s[i] = number_of(&v[FIRST_FIGURE + FIGURES + i]);
    for (int i = 0; i < RK_CATEGORIES; i++)
        p->category_bytes[i] = number_of(&v[FIRST_FIGURE + FIGURES + PARTS + i]);
    p->title = text_of(s->page, &v[columns - 1]);
    if (read_axes(s, p)) return RK_OK;
    return rk_fail(error, RK_BAD_INPUT, s->path, 0, 0,
                   "points differ in more than %d ways: a page takes fewer, one figure at a time",
                   MOST_WAYS);
}

/* ---- any SELECT as a table ---- */

struct listing {
    struct html_page *page;
    struct report_table *table;
    struct report_column *columns;
};

static const char *unit_of(const char *name)
{
    static const struct {
        const char *ending, *unit;
    } endings[] = {{"_per_s", ""}, {"_s", "s"}, {"_bytes", "B"}, {"_Bps", "B/s"}};
    for (int i = 0; i < COUNT_OF(endings); i++) {
        const size_t length = strlen(name), tail = strlen(endings[i].ending);
        if (length > tail && strcmp(name + length - tail, endings[i].ending) == 0)
            return endings[i].unit;
    }
    if (strcmp(name, "mfu") == 0) return "%";
    return strcmp(name, "parameters") == 0 ? "n" : "";
}

static enum rk_status list_row(void *context, int columns, const char *const *names,
                               const struct study_value *values, struct rk_error *error)
{
    struct listing *l = context;
    struct report *memory = &l->page->memory;
    struct report_cell cells[REPORT_MAX_COLUMNS];
    if (!l->columns) {
        l->columns = report_alloc(memory, (size_t)columns * sizeof *l->columns);
        if (!l->columns) return no_memory(error);
        for (int i = 0; i < columns; i++) {
            const char *name = report_text(memory, "%s", names[i]);
            l->columns[i] = (struct report_column){.name = name, .unit = unit_of(name)};
        }
        l->table = page_table(l->page, l->columns, columns);
    }
    for (int i = 0; i < columns; i++)
        cells[i] = values[i].type == STUDY_NULL      ? cell_none()
                   : values[i].type == STUDY_INTEGER ? cell_count(count_of(&values[i]))
                   : values[i].type == STUDY_REAL    ? cell_number(values[i].real)
                                                     : cell_text(text_of(l->page, &values[i]));
    report_row(memory, l->table, cells);
    return RK_OK;
}

static enum rk_status list(const struct study_page *s, const char *title, const char *sql,
                           struct rk_error *error)
{
    struct listing l = {.page = s->page};
    const enum rk_status status = study_query(s->database, sql, list_row, &l, error);
    if (status == RK_OK)
        page_show(
            s->page, title, l.table,
            report_text(&s->page->memory, "sqlite3 %s \"%s\"", page_word(s->page, s->path), sql));
    return status;
}

/* ---- what varies ---- */

const char *study_value_of(const struct point *p, int way)
{
    return p->way[way] ? p->way[way] : "any";
}

static int distinct(const struct figure *f, int way)
{
    int count = 0;
    for (size_t i = 0; i < f->count && count <= MOST_ROWS; i++) {
        size_t k = 0;
        while (k < i &&
               strcmp(study_value_of(&f->point[k], way), study_value_of(&f->point[i], way)) != 0)
            k++;
        count += k == i;
    }
    return count;
}

static void find_varying(struct figure *f)
{
    for (int way = 0; way < f->study->ways; way++) {
        const int values = distinct(f, way);
        int at = f->varying;
        if (values < 2) continue;
        for (; at > 0 && f->values[at - 1] < values; at--) {
            f->values[at] = f->values[at - 1];
            f->varies[at] = f->varies[at - 1];
        }
        f->values[at] = values;
        f->varies[at] = way;
        f->varying++;
    }
}

/* What sets a point apart, but for the way `without` (-1: nothing): "11t, 4096 GPUs". */
const char *study_label_of(const struct figure *f, const struct point *p, int without)
{
    struct report *memory = &f->study->page->memory;
    const char *label = "";
    for (int way = 0; way < f->study->ways; way++) {
        bool varies = false;
        for (int i = 0; i < f->varying; i++)
            varies |= f->varies[i] == way;
        if (!varies || way == without) continue;
        const char *format = way < 2    ? "%s%s%s"
                             : way == 2 ? "%s%s%s GPUs"
                             : way == 3 ? "%s%sbatch %s"
                                        : "%s%s%s";
        label = report_text(memory, format, label, *label ? ", " : "", study_value_of(p, way));
        if (way >= FIXED_WAYS) label = report_text(memory, "%s %s", label, f->study->way[way]);
    }
    return *label ? label : "all";
}

int study_count_labels(const struct figure *f, int without)
{
    int count = 0;
    const char *seen[MOST_BARS + 1];
    for (size_t i = 0; i < f->count && count <= MOST_BARS; i++) {
        const char *label = study_label_of(f, &f->point[i], without);
        int k = 0;
        while (k < count && strcmp(seen[k], label) != 0)
            k++;
        if (k == count) seen[count++] = label;
    }
    return count;
}

/* ---- a figure ---- */

static enum rk_status figure_table(const struct figure *f, struct rk_error *error)
{
    if (f->count > MOST_LISTED) {
        html_add(f->study->page,
                 &(struct html_block){HTML_WARNING,
                                      .text = "Too many points to list them here: the charts' CSV "
                                              "has them, and `reckon study --export`."});
        return RK_OK;
    }
    return list(f->study, "The best plan of each point",
                report_text(&f->study->page->memory,
                            "SELECT point, model, system, gpus, max_batch, datatype, axes, "
                            "strategies AS plans, fits, step_s, samples_per_s, mfu, hbm_bytes, "
                            "offload_bytes, tensor, pipeline, data, chunks, microbatch, "
                            "recompute FROM result WHERE figure = '%s' ORDER BY point",
                            f->name),
                error);
}

static enum rk_status show_figure(struct figure *f, struct rk_error *error)
{
    struct html_page *page = f->study->page;
    f->source =
        report_text(&page->memory, "sqlite3 %s \"SELECT * FROM result WHERE figure = '%s'\"",
                    page_word(page, f->study->path), f->name);
    find_varying(f);
    for (size_t i = 0; i < f->count; i++)
        f->point[i].label = study_label_of(f, &f->point[i], -1);
    page_section(page, report_text(&page->memory, "figure-%s", f->name), f->name,
                 *f->point->title ? f->point->title : NULL);
    page_study_cost_over_days(f);
    page_study_efficiency(f);
    page_study_breakdowns(f);
    const enum rk_status status = f->count <= MOST_BARS / 4 ? page_study_ranked(f, error) : RK_OK;
    return status == RK_OK ? figure_table(f, error) : status;
}

static enum rk_status show_figures(struct study_page *s, struct rk_error *error)
{
    enum rk_status status = RK_OK;
    for (size_t from = 0, to; from < s->count && status == RK_OK; from = to) {
        struct figure f = {.study = s, .name = s->point[from].figure, .point = &s->point[from]};
        for (to = from; to < s->count && strcmp(s->point[to].figure, f.name) == 0; to++)
            f.count++;
        status = show_figure(&f, error);
    }
    return status;
}

/* ---- the page ---- */

static enum rk_status read_title(void *context, int columns, const char *const *names,
                                 const struct study_value *values, struct rk_error *error)
{
    struct html_page *page = context;
    (void)columns;
    (void)names;
    (void)error;
    if (values[0].type == STUDY_TEXT && *values[0].text) page->title = text_of(page, &values[0]);
    return RK_OK;
}

static enum rk_status inputs(const struct study_page *s, struct rk_error *error)
{
    static const struct {
        const char *title, *sql;
    } lists[] = {
        {"The study", "SELECT name, CAST(value AS TEXT) AS value FROM study ORDER BY name"},
        {"Models", "SELECT * FROM model ORDER BY name"},
        {"Systems", "SELECT * FROM system ORDER BY name"},
    };
    enum rk_status status = RK_OK;
    page_section(s->page, "inputs", "Inputs", "As the database has them: reckon-study(5).");
    for (int i = 0; i < COUNT_OF(lists) && status == RK_OK; i++)
        status = list(s, lists[i].title, lists[i].sql, error);
    return status;
}

static enum rk_status fill(struct study_page *s, struct rk_error *error)
{
    struct html_page *page = s->page;
    page->title = "A study";
    page->subtitle = s->path;
    enum rk_status status = study_query(s->database, "SELECT value FROM study WHERE name = 'title'",
                                        read_title, page, error);
    if (status == RK_OK)
        status =
            study_query(s->database, study_points_sql(page, "result ORDER BY figure_number, point"),
                        study_read_point, s, error);
    if (status != RK_OK) return status;
    size_t run = 0;
    for (size_t i = 0; i < s->count; i++)
        run += s->point[i].runs;
    html_add(page,
             &(struct html_block){
                 HTML_VERDICT, .tone = run ? REPORT_GOOD : REPORT_BAD,
                 .title = report_text(&page->memory, "%zu of %zu points have a plan that can run.",
                                      run, s->count),
                 .source = report_text(&page->memory, "reckon report %s -o study.html",
                                       page_word(page, s->path))});
    page_section(page, "summary", "Summary", NULL);
    status = list(
        s, "Figures",
        "SELECT figure, points, finished, can_run, strategies AS plans, fits FROM progress", error);
    if (s->count == 0)
        html_add(page, &(struct html_block){HTML_WARNING, .text = "No point is finished yet."});
    if (status == RK_OK) status = show_figures(s, error);
    return status == RK_OK ? inputs(s, error) : status;
}

enum rk_status page_study(struct html_page *page, const char *path, struct rk_error *error)
{
    struct study_page s = {.page = page, .path = path, .ways = FIXED_WAYS};
    memcpy(s.way, fixed_ways, sizeof fixed_ways);
    enum rk_status status = study_database_open(path, STUDY_READ, &s.database, error);
    if (status == RK_OK) status = fill(&s, error);
    study_database_close(s.database);
    free(s.point);
    return status;
}
