/* load.c - study files, reckon-study(5). */
#include "base/limits.h"
#include "base/memory.h"
#include "base/open.h"
#include "estimate/fold.h"
#include "study/axes.h"
#include "study/digest.h"
#include "study/grid.h"
#include "study/over_clusters.h"
#include "study/query.h"
#include "study/run_load.h"

#include <fcntl.h>
#include <math.h>
#include <reckon/sure.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* ---- comments ---- */

/* Blanks what is from `at` up to `end`; lines and columns stay. */
static void blank(char *at, const char *end)
{
    for (; at < end; at++)
        if (*at != '\n') *at = ' ';
}

static char *find_end(char *at, const char *end, const char *mark)
{
    const size_t length = strlen(mark);
    for (; at + length <= end; at++)
        if (memcmp(at, mark, length) == 0) return at + length;
    return NULL;
}

static char *skip_text(char *at, const char *end)
{
    for (at++; at < end && *at != '"' && *at != '\n'; at++)
        if (*at == '\\' && at + 1 < end) at++;
    return at < end ? at + 1 : at;
}

static enum rk_status fail_comment(const char *path, const char *text, const char *at,
                                   struct rk_error *error)
{
    int line = 1, column = 1;
    for (; text < at; text++) {
        column = *text == '\n' ? 1 : column + 1;
        line += *text == '\n';
    }
    return rk_fail(error, RK_BAD_INPUT, path, line, column,
                   "the comment does not end: add */ after it");
}

/* Multi-byte characters in a comment shift the columns of the text that follows on its line, which
 * is rare. */
static enum rk_status strip_comments(const char *path, char *text, size_t size,
                                     struct rk_error *error)
{
    char *end = text + size;
    for (char *at = text; at < end;) {
        if (*at == '"') {
            at = skip_text(at, end);
        } else if (at + 1 < end && at[0] == '/' && (at[1] == '/' || at[1] == '*')) {
            const bool line = at[1] == '/';
            char *stop = find_end(at + 2, end, line ? "\n" : "*/");
            if (!stop && !line) return fail_comment(path, text, at, error);
            if (!stop) stop = end;
            blank(at, stop);
            at = stop;
        } else {
            at++;
        }
    }
    return RK_OK;
}

/* ---- columns ---- */

static char *trimmed(const char *text, size_t length)
{
    while (length && strchr(" \t", *text)) {
        text++;
        length--;
    }
    while (length && strchr(" \t", text[length - 1]))
        length--;
    return strndup(text, length);
}

/* The '=' of "name = expression": not one of ==, <=, >=, !=. */
static const char *find_equals(const char *text)
{
    const size_t name = strspn(text, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
                                     "0123456789_");
    const char *at = text + name + strspn(text + name, " \t");
    return name && at[0] == '=' && at[1] != '=' ? at : NULL;
}

static enum rk_status load_column(const struct place *place, struct study_column *column,
                                  struct rk_error *error)
{
    char got[PLACE_TEXT];
    struct rk_error inner;
    const char *text = json_string_value(place->value);
    if (!text || !*text)
        return place_fail(place, error, "must be a column or \"name = expression\", got %s",
                          place_describe(got, place));
    const char *equals = find_equals(text);
    column->name = equals ? trimmed(text, (size_t)(equals - text)) : trimmed(text, strlen(text));
    column->expression = equals ? trimmed(equals + 1, strlen(equals + 1)) : strdup(column->name);
    if (!column->name || !column->expression) return no_memory(error);
    const enum rk_status status = query_check_expression(column->expression, &inner);
    if (status == RK_BAD_INPUT) return place_fail(place, error, "%.400s", inner.text);
    if (status != RK_OK && error) *error = inner;
    return status;
}

static enum rk_status load_columns(const struct place *place, struct study *study,
                                   struct rk_error *error)
{
    enum rk_status status = place_need_array(place, 1, MOST_STUDY_COLUMNS, error);
    if (status != RK_OK) return status;
    const size_t count = json_array_size(place->value);
    study->column = calloc(count, sizeof *study->column);
    if (!study->column) return no_memory(error);
    for (; study->columns < count && status == RK_OK; study->columns++) {
        const struct place element = place_element(place, study->columns);
        status = load_column(&element, &study->column[study->columns], error);
    }
    return status;
}

/* ---- points ---- */

static bool runs(const struct rk_system *system, enum rk_precision precision)
{
    return operand_peak(system, operand_of(precision, true)) > 0 &&
           operand_peak(system, operand_of(precision, false)) > 0;
}

static bool all_run(const struct study_system *system, enum rk_precision precision)
{
    const struct rk_machine *machine = system->machine;
    if (!machine) return runs(&system->system, precision);
    for (int i = 0; i < machine->clusters; i++)
        if (!runs(&machine->cluster[i].system, precision)) return false;
    return true;
}

/* Can every system multiply in every precision? Matrices in what they are given as, vectors in what
 * is kept. */
static enum rk_status check_precisions(const struct study *study, const struct grid *grid,
                                       struct rk_error *error)
{
    for (size_t i = 0; i < grid->systems.count; i++)
        for (size_t k = 0; k < grid->precisions; k++) {
            const struct study_system *system = &study->system[grid->systems.index[i]];
            if (grid->precision[k] == OPEN ||
                all_run(system, (enum rk_precision)grid->precision[k]))
                continue;
            return place_fail(&grid->place, error,
                              "%.200s does not have %s on both engines: give another \"precision\"",
                              system->name,
                              rk_precision_name((enum rk_precision)grid->precision[k]));
        }
    return RK_OK;
}

/* How many points the grid has; 0 when a study may not have so many. */
static size_t grid_count(const struct study *study, const struct grid *grid)
{
    const size_t factors[] = {grid->models.count, grid->systems.count,
                              grid->gpus.count,   grid->batch.count,
                              grid->precisions,   grid->sequence.count ? grid->sequence.count : 1,
                              grid->modes};
    size_t count = 1;
    for (size_t i = 0; i < sizeof factors / sizeof factors[0]; i++)
        if (__builtin_mul_overflow(count, factors[i], &count) || count > STUDY_MAX_POINTS) return 0;
    return study->points + count <= STUDY_MAX_POINTS ? count : 0;
}

/* What a search takes by itself on the point's system. */
static enum rk_precision usual(const struct study *study, const struct study_point *point)
{
    const struct rk_machine *machine = study_machine(study, point);
    struct rk_plans_problem problem;
    if (machine) return rk_usual_precision(&machine->cluster[0].system);
    rk_plans_problem_init(&problem, &study->model[point->model].model,
                          &study->system[point->system].system, point->framework, 1, 1, 0);
    return problem.base.precision;
}

/* What plans are to leave of the memory, as reckon search asks for by default; of several clusters
 * that of the first, and whether there is any. */
static double usable_of(const struct study *study, const struct grid *grid,
                        const struct study_point *point)
{
    struct rk_plan plan = rk_plan_default();
    plan.framework = point->framework;
    const struct rk_machine *machine = study_machine(study, point);
    const struct rk_system *system =
        machine ? &machine->cluster[0].system : &study->system[point->system].system;
    double bytes = INFINITY;
    struct rk_error none; /* the learned one is none's mistake */
    if (!grid->headroom && rk_answerer(point->framework)->measured)
        rk_headroom_usable(NULL, &study->model[point->model].model, system, &plan, &bytes, &none);
    return bytes;
}

/* The point at a position of the grid, the last factor fastest. False: there is none, as a machine
 * of several clusters has one number of accelerators. */
static bool grid_point(const struct study *study, const struct grid *grid, size_t at,
                       struct study_point *to)
{
    struct study_point point = {.figure = grid->figure,
                                .axes = grid->axes,
                                .framework = (enum rk_framework)grid->framework,
                                .mode = grid->mode[at % grid->modes],
                                .top = grid->top};
    at /= grid->modes;
    if (grid->sequence.count) {
        point.sequence = grid->sequence.value[at % grid->sequence.count];
        at /= grid->sequence.count;
    }
    const int precision = grid->precision[at % grid->precisions];
    at /= grid->precisions;
    point.max_batch = grid->batch.value[at % grid->batch.count];
    at /= grid->batch.count;
    const size_t gpus = at % grid->gpus.count;
    at /= grid->gpus.count;
    point.system = grid->systems.index[at % grid->systems.count];
    point.model = grid->models.index[at / grid->systems.count];
    const struct rk_machine *machine = study_machine(study, &point);
    if (grid->usual && !machine)
        point.framework = rk_usual_framework(&study->system[point.system].system);
    if (machine && gpus) return false;
    point.gpus = machine ? study->system[point.system].system.devices : grid->gpus.value[gpus];
    point.precision = precision == OPEN ? usual(study, &point) : (enum rk_precision)precision;
    point.usable_bytes = usable_of(study, grid, &point);
    *to = point;
    return true;
}

static enum rk_status grid_add_points(struct study *study, const struct grid *grid,
                                      struct rk_error *error)
{
    const size_t count = grid_count(study, grid);
    if (!count)
        return place_fail(&grid->place, error, "the study has more than %d points: make it smaller",
                          STUDY_MAX_POINTS);
    enum rk_status status = check_precisions(study, grid, error);
    if (status != RK_OK) return status;
    struct study_point *grown = realloc(study->point, (study->points + count) * sizeof *grown);
    if (!grown) return no_memory(error);
    study->point = grown;
    for (size_t i = 0; i < count && status == RK_OK; i++) {
        struct study_point *point = &study->point[study->points];
        if (!grid_point(study, grid, i, point)) continue;
        study->points++;
        point->number = ++study->figure[grid->figure].points;
        digest_point(study, point);
        status = study_machine(study, point)
                     ? over_clusters_check(&grid->axes_place, study, point, error)
                     : axes_check(&grid->axes_place, study, point, error);
    }
    return status;
}

/* ---- figures ---- */

int study_find_figure(const struct study *study, const char *name)
{
    for (size_t i = 0; i < study->figures; i++)
        if (strcmp(study->figure[i].name, name) == 0) return (int)i;
    return -1;
}

static enum rk_status check_figure_name(const struct place *place, struct rk_error *error)
{
    char got[PLACE_TEXT];
    const char *name = json_string_value(place->value);
    const char *letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._-";
    if (name && *name && strlen(name) < 64 && !name[strspn(name, letters)]) return RK_OK;
    return place_fail(place, error, "must be up to 63 letters, digits, '.', '_', '-', got %s",
                      place_describe(got, place));
}

static enum rk_status load_title(const struct place *object, char **title, struct rk_error *error)
{
    struct place member;
    const struct field field = {.type = FIELD_TEXT}; /* checked, not kept */
    char none;
    if (!place_member(object, "title", &member)) return RK_OK;
    const enum rk_status status = field_load(&member, &field, &none, error);
    if (status != RK_OK) return status;
    free(*title);
    *title = strdup(json_string_value(member.value));
    return *title ? RK_OK : no_memory(error);
}

/* The figure of that name, made if there is none. */
static enum rk_status open_figure(struct study *study, const char *name, int *index,
                                  struct rk_error *error)
{
    *index = study_find_figure(study, name);
    if (*index >= 0) return RK_OK;
    if (!ARRAY_ROOM(study->figure, study->figures)) return no_memory(error);
    struct study_figure *figure = &study->figure[study->figures];
    *figure = (struct study_figure){.title = strdup("")};
    if (!figure->title) return no_memory(error);
    snprintf(figure->name, sizeof figure->name, "%s", name);
    *index = (int)study->figures++;
    return RK_OK;
}

static enum rk_status load_grid(const struct place *figure, const struct place *root,
                                const char *name, struct study *study, struct rk_error *error)
{
    struct grid grid = {.place = *figure};
    enum rk_status status = open_figure(study, name, &grid.figure, error);
    if (status == RK_OK && figure->value != root->value)
        status = load_title(figure, &study->figure[grid.figure].title, error);
    if (status == RK_OK) status = grid_load(root, study, &grid, error);
    if (status == RK_OK) status = grid_add_points(study, &grid, error);
    grid_release(&grid);
    return status;
}

static enum rk_status load_figure(const struct place *figure, const struct place *root,
                                  struct study *study, struct rk_error *error)
{
    static const char *const keys[] = {
        "name",      "title",    "models", "systems",     "gpus", "batch", "sequence", "framework",
        "precision", "datatype", "axes",   "unstartable", "mode", "top",   "headroom", NULL};
    struct place name;
    enum rk_status status = place_need_object(figure, error);
    if (status == RK_OK) status = place_need_keys(figure, keys, error);
    if (status != RK_OK) return status;
    if (!place_member(figure, "name", &name))
        return place_fail(figure, error,
                          "missing key \"name\" (what the figure is called): add it");
    status = check_figure_name(&name, error);
    if (status != RK_OK) return status;
    return load_grid(figure, root, json_string_value(name.value), study, error);
}

static enum rk_status load_figures(const struct place *root, struct study *study,
                                   struct rk_error *error)
{
    struct place list;
    if (!place_member(root, "figures", &list)) return load_grid(root, root, "study", study, error);
    enum rk_status status = place_need_array(&list, 1, MOST_STUDY_FIGURES, error);
    for (size_t i = 0; status == RK_OK && i < json_array_size(list.value); i++) {
        const struct place figure = place_element(&list, i);
        status = load_figure(&figure, root, study, error);
    }
    return status;
}

/* By figure, then number: figures of one name may have come apart. */
static int compare_points(const void *a, const void *b)
{
    const struct study_point *x = a, *y = b;
    if (x->figure != y->figure) return x->figure < y->figure ? -1 : 1;
    return (x->number > y->number) - (x->number < y->number);
}

/* ---- the file ---- */

static enum rk_status read_root(const struct document *document, struct study *study,
                                struct rk_error *error)
{
    static const char *const keys[] = {
        "title", "source",   "figures",   "columns",   "models",   "systems", "gpus",
        "batch", "sequence", "framework", "precision", "datatype", "axes",    "unstartable",
        "mode",  "top",      "headroom",  "run",       NULL};
    const struct place root = place_root(document);
    const struct field source = {.type = FIELD_SOURCE};
    struct place member;
    char none;
    enum rk_status status = place_need_object(&root, error);
    if (status == RK_OK) status = place_need_keys(&root, keys, error);
    if (status == RK_OK) status = load_title(&root, &study->title, error);
    if (status == RK_OK && place_member(&root, "source", &member))
        status = field_load(&member, &source, &none, error);
    if (status == RK_OK && place_member(&root, "columns", &member))
        status = load_columns(&member, study, error);
    if (status == RK_OK) status = load_figures(&root, study, error);
    if (status == RK_OK) qsort(study->point, study->points, sizeof *study->point, compare_points);
    if (status == RK_OK) status = rk_campaign_facts_load(NULL, &study->facts, error);
    if (status == RK_OK && place_member(&root, "run", &member))
        status = run_load(&member, study, error);
    return status;
}

static enum rk_status parse_text(const char *path, char *text, size_t size, model_reader *model_of,
                                 struct study **study, struct rk_error *error)
{
    struct document document = {.root = NULL};
    struct study *read = calloc(1, sizeof *read);
    if (!read) return no_memory(error);
    read->title = strdup("");
    read->model_of = model_of;
    snprintf(read->path, sizeof read->path, "%s", path);
    enum rk_status status = read->title ? RK_OK : no_memory(error);
    if (status == RK_OK) status = strip_comments(path, text, size, error);
    if (status == RK_OK) status = document_parse(path, text, size, &document, error);
    if (status == RK_OK) status = read_root(&document, read, error);
    document_release(&document);
    if (status == RK_OK)
        *study = read;
    else
        study_close(read);
    return status;
}

enum rk_status study_parse(const char *path, const char *text, size_t size, model_reader *model_of,
                           struct study **study, struct rk_error *error)
{
    char *copy = malloc(size + 1);
    if (!copy) return no_memory(error);
    memcpy(copy, text, size);
    const enum rk_status status = parse_text(path, copy, size, model_of, study, error);
    free(copy);
    return status;
}

/* All of a file; the caller frees the text. */
static enum rk_status read_file(int file, const char *path, char **text, size_t *size,
                                struct rk_error *error)
{
    size_t room = 1 << 16;
    *size = 0;
    *text = malloc(room);
    for (;;) {
        if (!*text) return no_memory(error);
        const ssize_t count = read(file, *text + *size, room - *size);
        if (count == 0) return RK_OK;
        if (count < 0 && errno == EINTR) continue;
        if (count < 0)
            return rk_fail(error, errno == EISDIR ? RK_BAD_INPUT : RK_IO, path, 0, 0,
                           "cannot read: %s", strerror(errno));
        *size += (size_t)count;
        if (*size > MOST_STUDY_BYTES)
            return rk_fail(error, RK_BAD_INPUT, path, 0, 0,
                           "is larger than %d MiB: this cannot be a study file",
                           MOST_STUDY_BYTES >> 20);
        if (room - *size > 4096) continue;
        char *grown = realloc(*text, room *= 2);
        if (!grown) return no_memory(error);
        *text = grown;
    }
}

enum rk_status study_load(const char *path, model_reader *model_of, struct study **study,
                          struct rk_error *error)
{
    const bool standard_input = strcmp(path, "-") == 0;
    const char *name = standard_input ? "<stdin>" : path;
    const int file = standard_input ? dup(STDIN_FILENO) : open(path, O_RDONLY | O_CLOEXEC);
    char *text = NULL;
    size_t size;
    if (file < 0) return fail_to_open(name, error);
    enum rk_status status = read_file(file, name, &text, &size, error);
    close(file);
    if (status == RK_OK) status = parse_text(name, text, size, model_of, study, error);
    free(text);
    return status;
}

void study_close(struct study *study)
{
    if (!study) return;
    for (size_t i = 0; i < study->figures; i++)
        free(study->figure[i].title);
    entries_release_systems(study);
    for (size_t i = 0; i < study->axes_count; i++)
        free(study->axes[i].text);
    for (size_t i = 0; i < study->columns; i++) {
        free(study->column[i].name);
        free(study->column[i].expression);
    }
    rk_campaign_facts_release(study->facts);
    free(study->title);
    free(study->figure);
    free(study->model);
    free(study->axes);
    free(study->point);
    free(study->column);
    free(study);
}
