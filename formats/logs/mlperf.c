/* The folders of a submission, and which configuration a result used. */
#include "logs/mlperf.h"

#include "base/memory.h"
#include "logs/mllog.h"
#include "text/document.h"
#include "text/text_file.h"

#include <dirent.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { PATH_BYTES = 4096, NAME_BYTES = 256, MOST_DEPTH = 12, RUNS = 3, MOST_README = 1 << 18 };

/* ---- paths ---- */

struct paths {
    size_t count;
    char **path;
};

static void paths_release(struct paths *paths)
{
    for (size_t i = 0; i < paths->count; i++)
        free(paths->path[i]);
    free(paths->path);
    *paths = (struct paths){.count = 0};
}

static bool paths_add(struct paths *paths, const char *path)
{
    char *copy = strdup(path);
    if (!copy || !ARRAY_ROOM(paths->path, paths->count)) {
        free(copy);
        return false;
    }
    paths->path[paths->count++] = copy;
    return true;
}

static int by_text(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Every regular file below, links not followed, whose name is one; false: no memory. */
static bool walk(const char *folder, int depth, bool (*is)(const char *name), struct paths *paths)
{
    DIR *open = depth < MOST_DEPTH ? opendir(folder) : NULL;
    bool kept = true;
    for (struct dirent *entry; kept && open && (entry = readdir(open));) {
        char path[PATH_BYTES];
        struct stat facts;
        if (*entry->d_name == '.') continue;
        if (snprintf(path, sizeof path, "%s/%s", folder, entry->d_name) >= (int)sizeof path)
            continue;
        if (lstat(path, &facts) != 0) continue;
        if (S_ISDIR(facts.st_mode))
            kept = walk(path, depth + 1, is, paths);
        else if (S_ISREG(facts.st_mode) && is(entry->d_name))
            kept = paths_add(paths, path);
    }
    if (open) closedir(open);
    return kept;
}

static bool find(const char *folder, bool (*is)(const char *name), struct paths *paths,
                 struct rk_error *error)
{
    if (!walk(folder, 0, is, paths)) return no_memory(error) == RK_OK;
    if (paths->count) qsort(paths->path, paths->count, sizeof *paths->path, by_text);
    return true;
}

static bool is_log(const char *name)
{
    return strncmp(name, "result_", 7) == 0 && strstr(name, ".txt");
}

/* config_DGXH100_8x8x1.sh; not what these source. */
static bool is_config(const char *name)
{
    const size_t length = strlen(name);
    return strncmp(name, "config", 6) == 0 && length > 3 && strcmp(name + length - 3, ".sh") == 0 &&
           !strstr(name, "common") && !strstr(name, "mounts");
}

/* Cuts the last part of the path off and returns it; NULL: there is none. */
static char *cut_last(char *path)
{
    char *slash = strrchr(path, '/');
    if (!slash) return NULL;
    *slash = '\0';
    return slash + 1;
}

/* ---- a result ---- */

struct submission {
    char round[NAME_BYTES]; /* "training_results_v5.0" */
    char top[PATH_BYTES];   /* the submitter's folder */
    char submitter[NAME_BYTES], system[NAME_BYTES], benchmark[NAME_BYTES];
    double nodes, accelerators; /* of the machine, of a node of it */
    char accelerator[NAME_BYTES];
    double batch, accumulation;
    int year;
    double step_s;
    enum mllog_figure figure;
    int runs;
};

/* ".../SUBMITTER/results/SYSTEM/BENCHMARK"; false: it is no such path. */
static bool read_path(const char *folder, struct submission *s)
{
    char path[PATH_BYTES];
    snprintf(path, sizeof path, "%s", folder);
    const char *benchmark = cut_last(path), *system = benchmark ? cut_last(path) : NULL;
    const char *results = system ? cut_last(path) : NULL;
    if (!results || strcmp(results, "results") != 0) return false;
    snprintf(s->top, sizeof s->top, "%s", path);
    const char *submitter = cut_last(path);
    const char *round = strrchr(path, '/');
    snprintf(s->benchmark, sizeof s->benchmark, "%s", benchmark);
    snprintf(s->system, sizeof s->system, "%s", system);
    snprintf(s->submitter, sizeof s->submitter, "%.255s", submitter ? submitter : s->top);
    snprintf(s->round, sizeof s->round, "%.255s", round ? round + 1 : path);
    return true;
}

/* Numbers stand as such or as text. */
static double count_of(const json_t *root, const char *key)
{
    const json_t *value = json_object_get(root, key);
    const char *text = json_string_value(value);
    return text ? strtod(text, NULL) : json_is_number(value) ? json_number_value(value) : 0;
}

static bool read_machine(struct submission *s)
{
    char path[PATH_BYTES + NAME_BYTES + 16];
    struct document document;
    snprintf(path, sizeof path, "%s/systems/%s.json", s->top, s->system);
    if (document_load(path, &document, NULL) != RK_OK) return false;
    const char *name = json_string_value(json_object_get(document.root, "accelerator_model_name"));
    s->nodes = count_of(document.root, "number_of_nodes");
    s->accelerators = count_of(document.root, "accelerators_per_node");
    snprintf(s->accelerator, sizeof s->accelerator, "%s", name ? name : "");
    document_release(&document);
    return s->nodes >= 1 && s->accelerators >= 1 && *s->accelerator;
}

/* The median of the medians of the first runs; false: none of them tells a time. */
static bool read_logs(const struct paths *logs, size_t first, size_t count, struct submission *s)
{
    double step_s[RUNS];
    struct mllog log;
    for (size_t i = first; i < first + count && s->runs < RUNS; i++) {
        if (mllog_load(logs->path[i], &log, NULL) != RK_OK) continue;
        const enum mllog_figure figure = mllog_best(&log);
        if (log.batch > 0) s->batch = log.batch;
        if (log.accumulation > 0) s->accumulation = log.accumulation;
        if (!s->year) s->year = log.year;
        if (figure != MLLOG_NONE && (s->runs == 0 || figure == s->figure)) {
            s->figure = figure;
            step_s[s->runs++] = mllog_median(&log, figure);
        }
        mllog_release(&log);
    }
    if (s->runs == 0) return false;
    for (int i = 1; i < s->runs; i++) /* three at most */
        for (int j = i; j > 0 && step_s[j] < step_s[j - 1]; j--) {
            const double lower = step_s[j];
            step_s[j] = step_s[j - 1];
            step_s[j - 1] = lower;
        }
    s->step_s = s->runs == 2 ? (step_s[0] + step_s[1]) / 2 : step_s[s->runs / 2];
    return s->batch > 0;
}

/* ---- which configuration it was run with ---- */

/* The GPU that a file's name speaks of, "config_DGXH200_64x8..."; longer names first. */
static const char *const generations[] = {"GB300",  "GB200", "MI355X", "MI350X", "MI325X",
                                          "MI300X", "GH200", "B300",   "B200",   "H200",
                                          "H100",   "A100",  "L40S",   NULL};

static const char *generation_of(const char *text)
{
    for (int i = 0; generations[i]; i++)
        if (strstr(text, generations[i])) return generations[i];
    return NULL;
}

/* `named`: a GPU that the file is named after is that of the machine. */
static bool fits(const struct mlperf_config *config, const struct submission *s, bool named)
{
    const double gpus = s->nodes * s->accelerators;
    const double of_node = config->gpus_per_node > 0 ? config->gpus_per_node : s->accelerators;
    const double ranks = config->tensor * config->pipeline * config->context;
    const char *file = strrchr(config->path, '/'), *of = generation_of(file ? file : "");
    const bool amd = strstr(s->accelerator, "Instinct") != NULL; /* counts otherwise in its logs */
    const char *is = generation_of(s->accelerator);
    if (named && of && strcmp(of, is ? is : "") != 0) return false;
    if (config->nodes != s->nodes || config->nodes * of_node != gpus) return false;
    if (config->samples * gpus != s->batch * ranks) return false;
    return amd || s->accumulation == 0 || s->accumulation * config->microbatch == config->samples;
}

static bool has_cell(const struct mlperf_result *cells, const char *name)
{
    for (size_t i = 0; i < cells->cells; i++)
        if (strcmp(cells->cell[i].name, name) == 0) return true;
    return false;
}

/* What this one says otherwise is left open. */
static bool join(struct mlperf_result *cells, const struct mlperf_result *other, char *open,
                 size_t size)
{
    for (size_t i = 0; i < cells->cells; i++) {
        const char *name = cells->cell[i].name, *value = mlperf_get(other, name);
        const size_t used = strlen(open);
        if (!*cells->cell[i].value || strcmp(cells->cell[i].value, value) == 0) continue;
        *cells->cell[i].value = '\0';
        snprintf(open + used, size - used, "%s%s", used ? ", " : "", name);
    }
    for (size_t i = 0; i < other->cells; i++) { /* what the ones before do not say */
        const struct mlperf_cell *cell = &other->cell[i];
        const size_t used = strlen(open);
        if (!*cell->value || has_cell(cells, cell->name)) continue;
        if (!mlperf_set(cells, cell->name, "%s", "")) return false;
        snprintf(open + used, size - used, "%s%s", used ? ", " : "", cell->name);
    }
    return true;
}

struct choice {
    size_t configs; /* that fit */
    struct mlperf_result cells;
    char open[200];        /* what they do not agree on */
    char path[PATH_BYTES]; /* of the first, below the submitter's folder */
};

/* Where to look for the configuration of a result, one after the other: in folders that are called
 * as its system, in these whatever GPU a file is named after, and everywhere. */
enum look { LOOK_OWN, LOOK_OWN_UNNAMED, LOOK_ALL, LOOKS };

static bool is_looked_at(const char *path, const struct submission *s, enum look look,
                         const char *wanted)
{
    char own[NAME_BYTES + 4];
    const char *file = strrchr(path, '/');
    snprintf(own, sizeof own, "/%s/", s->system);
    if (*wanted && (!file || strcmp(file + 1, wanted) != 0)) return false;
    return look == LOOK_ALL || strstr(path + strlen(s->top), own) != NULL;
}

static void choose_of(const struct paths *configs, const struct submission *s, enum look look,
                      const char *wanted, struct choice *choice)
{
    const struct mlperf_benchmark *benchmark = mlperf_benchmark_named(s->benchmark);
    static struct mlperf_config config; /* large; nothing here runs in threads */
    for (size_t i = 0; i < configs->count; i++) {
        if (!is_looked_at(configs->path[i], s, look, wanted)) continue;
        if (!mlperf_config_read(configs->path[i], benchmark, s->year, &config)) continue;
        if (!fits(&config, s, look != LOOK_OWN_UNNAMED)) continue;
        if (choice->configs++) {
            join(&choice->cells, &config.cells, choice->open, sizeof choice->open);
            continue;
        }
        choice->cells = config.cells;
        snprintf(choice->path, sizeof choice->path, "%s", configs->path[i] + strlen(s->top) + 1);
    }
}

/* Every configuration below the submitter's folder of the benchmark, whatever it is called; false:
 * no memory. */
static bool find_configs(const struct submission *s, struct paths *configs)
{
    const struct mlperf_benchmark *benchmark = mlperf_benchmark_named(s->benchmark);
    char path[2 * PATH_BYTES];
    snprintf(path, sizeof path, "%s/benchmarks/%s", s->top, s->benchmark);
    bool kept = find(path, is_config, configs, NULL);
    for (const char *at = benchmark->folders; kept && at && configs->count == 0;) {
        const size_t length = strcspn(at, "|");
        snprintf(path, sizeof path, "%s/benchmarks/%.*s", s->top, (int)length, at);
        kept = find(path, is_config, configs, NULL);
        at = at[length] ? at + length + 1 : NULL;
    }
    return kept;
}

/* README-SYSTEM.md of NVIDIA's implementations says which script a system was started with. */
static void read_wanted(const struct submission *s, char wanted[NAME_BYTES])
{
    char path[3 * PATH_BYTES], *text = NULL;
    size_t size;
    snprintf(path, sizeof path, "%s/benchmarks/%s/implementations/%s/README-%s.md", s->top,
             s->benchmark, s->system, s->system);
    *wanted = '\0';
    if (text_file_load(path, MOST_README, &text, &size, NULL) != RK_OK) return;
    const char *name = strstr(text, "/config_"), *end = name ? strstr(name, ".sh") : NULL;
    if (end && end - name < NAME_BYTES - 4)
        snprintf(wanted, NAME_BYTES, "%.*s", (int)(end + 2 - name), name + 1);
    free(text);
}

static void choose(const struct submission *s, struct choice *choice)
{
    char wanted[NAME_BYTES];
    struct paths configs = {.count = 0};
    *choice = (struct choice){.configs = 0};
    read_wanted(s, wanted);
    if (find_configs(s, &configs)) {
        for (int look = 0; *wanted && look < LOOKS && choice->configs == 0; look++)
            choose_of(&configs, s, (enum look)look, wanted, choice);
        for (int look = 0; look < LOOKS && choice->configs == 0; look++)
            choose_of(&configs, s, (enum look)look, "", choice);
    }
    paths_release(&configs);
}

/* ---- the row ---- */

static void set_plan(const struct submission *s, const struct choice *choice,
                     struct mlperf_result *result)
{
    const double ranks = strtod(mlperf_get(&choice->cells, "tp"), NULL) *
                         strtod(mlperf_get(&choice->cells, "pp"), NULL) *
                         strtod(mlperf_get(&choice->cells, "cp"), NULL);
    for (size_t i = 0; i < choice->cells.cells; i++)
        mlperf_set(result, choice->cells.cell[i].name, "%s", choice->cells.cell[i].value);
    if (ranks > 0) mlperf_set(result, "dp", "%.0f", s->nodes * s->accelerators / ranks);
}

static void set_notes(const struct submission *s, const struct choice *choice,
                      struct mlperf_result *result)
{
    const struct mlperf_benchmark *benchmark = mlperf_benchmark_named(s->benchmark);
    char config[2 * MLPERF_VALUE];
    if (choice->configs == 0)
        snprintf(config, sizeof config,
                 "no stored configuration agrees with machine and log: layout left open");
    else
        snprintf(config, sizeof config, "config %.220s%s%s", choice->path,
                 *choice->open ? "; configurations that fit differ in " : "", choice->open);
    const char *room = mlperf_get(&choice->cells, "room");
    mlperf_set(result, "notes", "conf:%c %s, median of a run, then of %d; %s%s%s%s%s",
               choice->configs && !*choice->open ? 'A' : 'B', mllog_figure_names[s->figure],
               s->runs, config, *benchmark->note ? "; " : "", benchmark->note, *room ? "; " : "",
               room);
}

static void set_row(const struct submission *s, const struct choice *choice, size_t number,
                    struct mlperf_result *result)
{
    mlperf_set(result, "id", "%s_%03zu", s->round, number); /* what stands before _ is its source */
    mlperf_set(result, "source", "mlcommons/%s", s->round);
    mlperf_set(result, "table_or_fig", "%s", result->where);
    mlperf_set(result, "year", "%d", s->year);
    mlperf_set_benchmark(result, mlperf_benchmark_named(s->benchmark));
    mlperf_set(result, "gpu", "%s", s->accelerator);
    mlperf_set(result, "gpus", "%.0f", s->nodes * s->accelerators);
    mlperf_set(result, "gpus_per_node", "%.0f", s->accelerators);
    mlperf_set(result, "global_batch", "%.0f", s->batch);
    set_plan(s, choice, result);
    if (!*mlperf_get(result, "precision"))
        mlperf_set(result, "unmodelled", "precision: %s",
                   choice->configs ? "configurations that fit differ in it"
                                   : "no configuration fits");
    mlperf_set(result, "metric_name", "iter_time_s");
    mlperf_set(result, "metric_value", "%.4f", s->step_s);
    set_notes(s, choice, result);
}

static void read_result(const struct paths *logs, size_t first, size_t count, size_t number,
                        struct submission *s, struct mlperf_result *result)
{
    static struct choice choice; /* large; nothing here runs in threads */
    snprintf(result->where, sizeof result->where, "%.80s/results/%.100s/%.60s", s->submitter,
             s->system, s->benchmark);
    if (!read_machine(s)) {
        snprintf(result->why, sizeof result->why, "no systems/%.120s.json with its accelerators",
                 s->system);
        return;
    }
    if (!read_logs(logs, first, count, s)) {
        snprintf(result->why, sizeof result->why,
                 "its logs tell no time of a step that no evaluation is in, or no batch");
        return;
    }
    choose(s, &choice);
    set_row(s, &choice, number, result);
}

/* Logs of one folder stand together, by their names. */
static size_t same_folder(const struct paths *logs, size_t first)
{
    const char *slash = strrchr(logs->path[first], '/');
    const size_t length = (size_t)(slash - logs->path[first]) + 1;
    size_t end = first + 1;
    while (end < logs->count && strncmp(logs->path[end], logs->path[first], length) == 0 &&
           !strchr(logs->path[end] + length, '/'))
        end++;
    return end - first;
}

static enum rk_status read_logs_below(const struct paths *logs, struct mlperf *mlperf,
                                      struct rk_error *error)
{
    for (size_t first = 0, count; first < logs->count; first += count) {
        char folder[PATH_BYTES];
        struct submission s = {.runs = 0};
        count = same_folder(logs, first);
        snprintf(folder, sizeof folder, "%s", logs->path[first]);
        cut_last(folder);
        if (!read_path(folder, &s) || !mlperf_benchmark_named(s.benchmark)) continue;
        if (!ARRAY_ROOM(mlperf->result, mlperf->results)) return no_memory(error);
        struct mlperf_result *result = &mlperf->result[mlperf->results++];
        *result = (struct mlperf_result){.cells = 0};
        read_result(logs, first, count, mlperf->results, &s, result);
    }
    return RK_OK;
}

enum rk_status mlperf_read(const char *folder, struct mlperf *mlperf, struct rk_error *error)
{
    struct paths logs = {.count = 0};
    enum rk_status status = RK_OK;
    *mlperf = (struct mlperf){.results = 0};
    char *real = realpath(folder, NULL);
    if (!real)
        return rk_fail(error, RK_BAD_INPUT, folder, 0, 0, "cannot read the folder: %s",
                       strerror(errno));
    if (!find(real, is_log, &logs, error)) status = RK_NO_MEMORY;
    if (status == RK_OK) status = read_logs_below(&logs, mlperf, error);
    if (status == RK_OK && mlperf->results == 0)
        status = rk_fail(error, RK_BAD_INPUT, folder, 0, 0,
                         "no result of a language model: no folder "
                         "SUBMITTER/results/SYSTEM/BENCHMARK with result_0.txt, BENCHMARK one of "
                         "gpt3, llama2_70b_lora, llama31_405b, llama31_8b, gpt_oss_20b and "
                         "deepseekv3_671b");
    if (status != RK_OK) mlperf_release(mlperf);
    paths_release(&logs);
    free(real);
    return status;
}

void mlperf_release(struct mlperf *mlperf)
{
    free(mlperf->result);
    *mlperf = (struct mlperf){.results = 0};
}
