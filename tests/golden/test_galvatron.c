/* Galvatron's search against outputs of its own engine: galvatron/README.md says what they are. The
 * dynamic programming also has a twin here, the published table, on random instances. */
#include "galvatron/cases.h"
#include "galvatron/program.h"
#include "golden/golden.h"
#include "text/csv.h"

#include <limits.h>

#define FOLDER GOLDEN_FOLDER "/galvatron/"

/* ---- strategies ---- */

Test(galvatron, leaves_of_the_decision_tree)
{
    json_t *root = golden_load(FOLDER "strategies.json"), *tree;
    const char *world;
    json_object_foreach(json_object_get(root, "tree"), world, tree)
    {
        const int ranks = atoi(world);
        struct galvatron_leaf leaf[256];
        json_t *by = json_object_get(tree, "by_pipeline"), *count;
        const char *pipeline;
        cr_expect_eq(galvatron_tree(ranks, false, 0, NULL),
                     (size_t)json_integer_value(json_object_get(tree, "all")), "%s", world);
        const size_t pruned = galvatron_tree(ranks, true, 256, leaf);
        cr_expect_eq(pruned, (size_t)json_integer_value(json_object_get(tree, "pruned")), "%s",
                     world);
        json_object_foreach(by, pipeline, count)
        {
            json_int_t found = 0;
            for (size_t i = 0; i < pruned; i++)
                found += leaf[i].pipeline == atoi(pipeline);
            cr_expect_eq(found, json_integer_value(count), "%s: %s", world, pipeline);
        }
        for (size_t i = 0; i < pruned; i++) {
            int product = leaf[i].pipeline;
            for (int k = 0; k < leaf[i].levels; k++)
                product *= leaf[i].level[k].degree;
            cr_expect_eq(product, ranks);
        }
    }
    json_decref(root);
}

Test(galvatron, layer_strategies_in_their_order)
{
    json_t *root = golden_load(FOLDER "strategies.json"), *list;
    const char *key;
    json_object_foreach(json_object_get(root, "code"), key, list)
    {
        struct galvatron_strategy strategy[128];
        json_t *names = json_object_get(list, "names");
        const struct galvatron_space space = {.world = atoi(key),
                                              .max_pipeline = 8,
                                              .max_tensor = 8,
                                              .max_ulysses = 8,
                                              .ordinary = strstr(key, "ddp") ? GALVATRON_DDP
                                                                             : GALVATRON_ZERO2};
        const size_t count = galvatron_layer_strategies(&space, 128, strategy);
        cr_assert_eq(count, json_array_size(names), "%s", key);
        for (size_t i = 0; i < count; i++) {
            char name[GALVATRON_NAME];
            cr_expect_str_eq(galvatron_name(name, &strategy[i]),
                             json_string_value(json_array_get(names, i)));
        }
        cr_expect_eq(galvatron_embedding_strategies(&space, 0, NULL),
                     (size_t)json_integer_value(json_object_get(list, "embedding")), "%s", key);
    }
    json_decref(root);
}

/* ---- dynamic programming ---- */

enum { MOST_LAYERS = 16, MOST_STRATEGIES = 16 };

struct instance {
    struct galvatron_program program;
    int memory[MOST_LAYERS][MOST_STRATEGIES];
    double time[MOST_LAYERS][MOST_STRATEGIES];
    double change[MOST_STRATEGIES * MOST_STRATEGIES];
    const int *memory_row[MOST_LAYERS];
    const double *time_row[MOST_LAYERS], *change_row[MOST_LAYERS];
};

static void link_rows(struct instance *x)
{
    for (int i = 0; i < x->program.layers; i++) {
        x->memory_row[i] = x->memory[i];
        x->time_row[i] = x->time[i];
        x->change_row[i] = i ? x->change : NULL;
    }
    x->program.memory = x->memory_row;
    x->program.time = x->time_row;
    x->program.change = x->change_row;
}

static void read_instance(struct instance *x, const json_t *one)
{
    const json_t *memory = json_object_get(one, "memory"), *time = json_object_get(one, "intra_s"),
                 *change = json_object_get(one, "inter_s");
    x->program.layers = (int)json_array_size(memory);
    x->program.strategies = (int)json_array_size(change);
    cr_assert(x->program.layers <= MOST_LAYERS && x->program.strategies <= MOST_STRATEGIES);
    for (int i = 0; i < x->program.layers; i++)
        for (int s = 0; s < x->program.strategies; s++) {
            x->memory[i][s] = (int)json_integer_value(
                json_array_get(json_array_get(memory, (size_t)i), (size_t)s));
            x->time[i][s] =
                json_number_value(json_array_get(json_array_get(time, (size_t)i), (size_t)s));
        }
    for (int from = 0; from < x->program.strategies; from++)
        for (int to = 0; to < x->program.strategies; to++)
            x->change[from * x->program.strategies + to] =
                json_number_value(json_array_get(json_array_get(change, (size_t)from), (size_t)to));
    link_rows(x);
}

Test(galvatron, the_published_core_s_choices)
{
    json_t *root = golden_load(FOLDER "dp.json"), *cases = json_object_get(root, "cases"), *one;
    struct galvatron_steps *steps = galvatron_steps_new();
    size_t index;
    int feasible = 0;
    json_array_foreach(cases, index, one)
    {
        struct instance x;
        struct galvatron_path path = {.remaining = -1};
        int choice[MOST_LAYERS];
        const json_t *expected = json_object_get(one, "expected");
        const int left = (int)json_integer_value(json_object_get(one, "budget")) -
                         (int)json_integer_value(json_object_get(one, "other_memory"));
        read_instance(&x, one);
        x.program.budget = left;
        cr_assert(galvatron_program_solve(&x.program, steps));
        const bool fits = galvatron_program_answer(&x.program, steps, left, choice, &path);
        const json_t *total = json_object_get(expected, "total_s");
        cr_assert_eq(fits, json_is_number(total), "%zu", index);
        if (!fits) continue;
        feasible++;
        cr_expect_eq(path.time_s + json_number_value(json_object_get(one, "other_s")),
                     json_number_value(total), "%zu", index);
        cr_expect_eq(path.remaining, json_integer_value(json_object_get(expected, "remaining")));
        for (int i = 0; i < x.program.layers; i++)
            cr_expect_eq(choice[i], json_integer_value(json_array_get(
                                        json_object_get(expected, "choice"), (size_t)i)));
    }
    cr_expect_eq(feasible, 87);
    galvatron_steps_free(steps);
    json_decref(root);
}

/* The table as published: every v, the first of equals. */
enum { TABLE_BUDGET = 60 };

static bool table_answer(const struct instance *x, int *choice, struct galvatron_path *path)
{
    static double f[TABLE_BUDGET + 1][MOST_STRATEGIES];
    static int mark[MOST_LAYERS][TABLE_BUDGET + 1][MOST_STRATEGIES];
    const int count = x->program.strategies, budget = x->program.budget;
    memset(f, 0, sizeof f);
    for (int i = 0; i < x->program.layers; i++)
        for (int v = budget; v >= 0; v--)
            for (int s = 0; s < count; s++) {
                double best = INFINITY;
                mark[i][v][s] = -1;
                for (int from = 0; v >= x->memory[i][s] && from < count; from++) {
                    const double c = f[v - x->memory[i][s]][from] +
                                     (i ? x->change[from * count + s] : 0) + x->time[i][s];
                    if (c >= best) continue;
                    best = c;
                    mark[i][v][s] = from;
                }
                f[v][s] = best;
            }
    int next = 0, v = budget;
    for (int s = 1; s < count; s++)
        if (f[v][s] < f[v][next]) next = s;
    if (isinf(f[v][next])) return false;
    path->time_s = f[v][next];
    for (int i = x->program.layers - 1; i >= 0; i--) {
        const int here = next;
        choice[i] = here;
        next = mark[i][v][here];
        v -= x->memory[i][here];
    }
    path->remaining = v;
    return true;
}

/* Small whole numbers, so that there are many ties; the program is larger than what is asked. */
Test(galvatron, steps_are_the_table)
{
    struct galvatron_steps *steps = galvatron_steps_new();
    unsigned seed = 20261122;
    int feasible = 0;
    for (int round = 0; round < 3000; round++) {
        struct instance x = {
            .program = {.layers = 1 + rand_r(&seed) % 8, .strategies = 1 + rand_r(&seed) % 6}};
        struct galvatron_path ours, theirs;
        int choice[MOST_LAYERS] = {0}, published[MOST_LAYERS] = {0};
        for (int i = 0; i < x.program.layers; i++)
            for (int s = 0; s < x.program.strategies; s++) {
                x.memory[i][s] = 1 + rand_r(&seed) % 9;
                x.time[i][s] = 0.1 * (rand_r(&seed) % 5);
            }
        for (int i = 0; i < MOST_STRATEGIES * MOST_STRATEGIES; i++)
            x.change[i] = 0.1 * (rand_r(&seed) % 3);
        link_rows(&x);
        x.program.budget = TABLE_BUDGET;
        cr_assert(galvatron_program_solve(&x.program, steps));
        const int budget = rand_r(&seed) % (TABLE_BUDGET + 1);
        const bool fits = galvatron_program_answer(&x.program, steps, budget, choice, &ours);
        x.program.budget = budget;
        cr_assert_eq(fits, table_answer(&x, published, &theirs), "round %d", round);
        cr_assert_eq(fits, budget >= galvatron_program_least(&x.program), "round %d", round);
        if (!fits) continue;
        feasible++;
        cr_assert_eq(ours.time_s, theirs.time_s, "round %d", round);
        cr_assert_eq(ours.remaining, theirs.remaining, "round %d", round);
        cr_assert_arr_eq(choice, published, sizeof choice, "round %d", round);
    }
    cr_expect_gt(feasible, 1000);
    galvatron_steps_free(steps);
}

/* ---- costs ---- */

static struct galvatron_strategy parse_name(const char *name, int ordinary)
{
    struct galvatron_strategy s = {.tensor = 1, .ulysses = 1};
    int split = 1;
    char *at;
    s.pipeline = (int)strtol(name, &at, 10);
    split = (int)strtol(at + 1, &at, 10);
    if (*at == '*') at++;
    s.data = (int)strtol(at + 1, &at, 10);
    s.zero = *at == 'f'   ? GALVATRON_ZERO3
             : s.data > 1 ? (enum galvatron_zero)ordinary
                          : GALVATRON_DDP;
    s.recompute = strstr(at, "-c");
    *(strstr(at, "-sp") ? &s.ulysses : &s.tensor) = split;
    return s;
}

static void near(double value, const char *cell, const char *what, int line)
{
    const double expected = atof(cell);
    cr_expect(fabs(value - expected) <= 1e-8 * fabs(expected) + 1e-300,
              "line %d, %s: %.17g, expected %.17g", line, what, value, expected);
}

/* The cell's number `stage`, blanks between. */
static const char *part(const char *cell, int stage)
{
    for (; stage > 0; stage--)
        cell = strchr(cell, ' ') + 1;
    return cell;
}

#define CELL(name) csv_cell(csv, row, (size_t)csv_column(csv, name))

static void check_costs(const struct csv *csv, size_t row, const struct document *profiles)
{
    const int line = csv->line[row];
    struct galvatron_setting setting;
    struct rk_error error;
    struct galvatron_question question = {
        .shape = {1, {atoi(CELL("layers"))}, {atoi(CELL("sequence"))}},
        .memory_GB = 80,
        .batch = (uint64_t)atol(CELL("batch")),
        .chunks = (uint64_t)atol(CELL("chunks")),
        .ordinary = strcmp(CELL("default_dp_type"), "ddp") ? GALVATRON_ZERO2 : GALVATRON_DDP,
        .max_pipeline = 8,
        .max_tensor = 8,
        .max_ulysses = 8,
    };
    snprintf(question.model, sizeof question.model, "%s", CELL("profile"));
    snprintf(question.hardware, sizeof question.hardware, "%s", CELL("hardware"));
    cr_assert_eq(galvatron_set(profiles, &question, &setting, &error), RK_OK, "%s", error.text);
    const struct galvatron_job job = {
        .hardware = &setting.hardware,
        .model = &setting.model,
        .batch = (int)question.batch,
        .chunks = (int)question.chunks,
        .half = true,
        .async = CELL("async_grad_reduce")[0] == '1',
        .gpipe = strcmp(CELL("pipeline_type"), "gpipe") == 0,
        .change_scale = 1e-7,
    };
    const struct galvatron_strategy s = parse_name(CELL("strategy"), question.ordinary);
    const struct galvatron_time time = galvatron_layer_time(&job, &s, 0);
    const struct galvatron_memory first = galvatron_layer_memory(&job, &s, 0, 0);
    near(time.sync_s, CELL("layer_sync_s"), "layer_sync_s", line);
    near(time.s, CELL("layer_s"), "layer_s", line);
    near(first.states_MB, CELL("layer_states_MB"), "layer_states_MB", line);
    near(first.activation_MB, CELL("layer_activation_stage0_MB"), "layer_activation_stage0_MB",
         line);
    int division[8];
    double stage_s[8], sync_s[8], term[64];
    galvatron_division(question.shape.layers[0], s.pipeline, division);
    for (int stage = 0; stage < s.pipeline; stage++) {
        const struct galvatron_time end = galvatron_end_time(&job, &s, stage);
        const struct galvatron_memory layer = galvatron_layer_memory(&job, &s, 0, stage);
        const double end_MB = galvatron_end_MB(&job, &s, stage);
        near(end.sync_s, part(CELL("embedding_sync_s"), stage), "embedding_sync_s", line);
        near(end.s, part(CELL("embedding_s"), stage), "embedding_s", line);
        near(end_MB, part(CELL("embedding_MB"), stage), "embedding_MB", line);
        near(end_MB + (layer.states_MB + layer.activation_MB) * division[stage],
             part(CELL("stages_MB"), stage), "stages_MB", line);
        for (int i = 0; i < division[stage]; i++)
            term[i] = time.s;
        stage_s[stage] = galvatron_sum(division[stage], term) + end.s;
        for (int i = 0; i < division[stage]; i++)
            term[i] = time.sync_s;
        sync_s[stage] = galvatron_sum(division[stage], term);
    }
    near(galvatron_step_s(s.pipeline, job.chunks, stage_s, sync_s), CELL("step_s"), "step_s", line);
    galvatron_setting_release(&setting);
}

Test(galvatron, costs_of_every_strategy)
{
    struct csv csv;
    struct document profiles;
    struct rk_error error;
    cr_assert_eq(csv_load(FOLDER "costs.csv", &csv, &error), RK_OK, "%s", error.text);
    cr_assert_eq(document_load(FOLDER "profiles.json", &profiles, &error), RK_OK, "%s", error.text);
    cr_expect_eq(csv.rows, 432);
    for (size_t row = 0; row < csv.rows; row++)
        check_costs(&csv, row, &profiles);
    document_release(&profiles);
    csv_release(&csv);
}

/* ---- searches ---- */

static bool close_number(const json_t *a, const json_t *b)
{
    return fabs(json_number_value(a) - json_number_value(b)) <= 1e-8 * fabs(json_number_value(b));
}

Test(galvatron, whole_searches)
{
    struct document profiles, file;
    struct rk_error error;
    struct place cases;
    int tied = 0, none = 0;
    cr_assert_eq(document_load(FOLDER "profiles.json", &profiles, &error), RK_OK, "%s", error.text);
    cr_assert_eq(document_load(FOLDER "search.json", &file, &error), RK_OK, "%s", error.text);
    const struct place root = place_root(&file);
    cr_assert_eq(galvatron_cases(&root, &cases, &error), RK_OK);
    cr_assert_eq(json_array_size(cases.value), 41);
    for (size_t i = 0; i < 41; i++) {
        json_t *line = NULL, *value;
        const json_t *one = json_array_get(cases.value, i);
        const char *key,
            *name = json_string_value(json_object_get(json_object_get(one, "input"), "name"));
        const json_t *expected = json_object_get(one, "expected");
        const bool tie = json_object_get(one, "tie");
        cr_assert_eq(galvatron_case(&profiles, &cases, i, &line, &error), RK_OK, "%s", error.text);
        const json_t *ours = json_object_get(line, "expected");
        cr_expect_eq(json_object_size(ours), json_object_size(expected), "%s", name);
        tied += tie;
        json_object_foreach((json_t *)expected, key, value)
        {
            const json_t *mine = json_object_get(ours, key);
            if (json_is_real(value))
                cr_expect(close_number(mine, value), "%s: %s", name, key);
            else if (!tie)
                cr_expect(json_equal(mine, value), "%s: %s", name, key);
            none += json_is_null(value);
        }
        json_decref(line);
    }
    cr_expect_eq(tied, 3);
    cr_expect_eq(none, 4);
    document_release(&file);
    document_release(&profiles);
}

/* A larger memory, or a cheaper change of layout, is never slower in its round; the smallest memory
 * named is the first that fits. */
Test(galvatron, memory_and_changes_only_help)
{
    struct document profiles;
    struct rk_error error;
    struct galvatron_setting setting;
    double before = 0;
    uint64_t least = 0;
    struct galvatron_question question = {
        .model = "llama2-7b",
        .hardware = "shipped-1x8",
        .shape = {1, {32}, {2048}},
        .batch = 32,
        .chunks = 4,
        .fine = 1,
        .ordinary = GALVATRON_ZERO2,
        .max_pipeline = 1,
        .max_tensor = 8,
        .max_ulysses = 8,
        .change_scale = 1e-7,
    };
    cr_assert_eq(document_load(FOLDER "profiles.json", &profiles, &error), RK_OK);
    cr_assert_eq(galvatron_set(&profiles, &question, &setting, &error), RK_OK, "%s", error.text);
    for (question.memory_GB = 4; question.memory_GB <= 20; question.memory_GB++) {
        struct galvatron_answer answer;
        cr_assert_eq(galvatron_search(&question, &setting.hardware, &setting.model, &setting.choice,
                                      &answer, &error),
                     RK_OK);
        if (least) cr_expect_eq(answer.least_GB, least);
        least = answer.least_GB;
        cr_expect_eq(answer.found, question.memory_GB >= least, "%d", (int)question.memory_GB);
        cr_expect_geq(answer.samples_per_s, before, "%d", (int)question.memory_GB);
        before = answer.samples_per_s;
        galvatron_answer_release(&answer);
    }
    cr_expect_gt(before, 0);
    galvatron_setting_release(&setting);
    document_release(&profiles);
}

/* ---- files ---- */

static const char *read_error(const char *text, struct rk_error *error)
{
    struct document document;
    struct galvatron_file file = {.layer = NULL};
    cr_assert_eq(document_parse("s.json", text, strlen(text), &document, error), RK_OK, "%s",
                 error->text);
    const struct place root = place_root(&document);
    error->text[0] = '\0';
    galvatron_strategy_read(&root, &file, error);
    galvatron_file_release(&file);
    document_release(&document);
    return error->text;
}

#define STRATEGY(tensor, division, more)                                                           \
    "{\"pp_deg\": 2, \"tp_sizes_enc\": \"" tensor "\", \"dp_types_enc\": \"1,0,0\", "              \
    "\"checkpoint\": \"0,0,1\", \"world_size\": 8, \"global_bsz\": 16, \"chunks\": 4, "            \
    "\"pp_division\": \"" division "\"" more "}"

Test(galvatron, strategy_files_with_faults)
{
    struct rk_error error;
    cr_expect_str_empty(read_error(STRATEGY("1,2,4", "1,2", ""), &error));
    cr_expect_str_empty(read_error(STRATEGY("1,2,4", "1,2", ", \"vocab_sdp\": 1"), &error));
    cr_expect_str_empty(read_error(STRATEGY("1,2,4", "1,2", ", \"embed_sdp\": 1"), &error));
    cr_expect(
        strstr(read_error(STRATEGY("1,2,4", "1,2", ", \"embd_sdp\": 1"), &error), "embed_sdp"));
    cr_expect(strstr(read_error(STRATEGY("1,2,3", "1,2", ""), &error), "tp_sizes_enc: entry 3"));
    cr_expect(strstr(read_error(STRATEGY("1,2,8", "1,2", ""), &error), "world_size 8"));
    cr_expect(strstr(read_error(STRATEGY("1,2", "1,1", ""), &error), "dp_types_enc: has 3"));
    cr_expect(strstr(read_error(STRATEGY("1,2,4", "1,1", ""), &error), "adds up to 2"));
    cr_expect(strstr(read_error(STRATEGY("1,2,4", "3", ""), &error), "pp_deg is 2"));
    cr_expect(strstr(read_error(STRATEGY("1,2,4", "3,0", ""), &error), "stage 1 has no layer"));
    cr_expect(strstr(read_error(STRATEGY("1,2,x", "1,2", ""), &error), "entry 3"));
    cr_expect(strstr(read_error("{\"pp_deg\": 1}", &error), "tp_sizes_enc"));
}

/* What the search writes is read again, layer for layer. */
Test(galvatron, a_strategy_file_there_and_back)
{
    json_t *root = golden_load(FOLDER "search.json"), *one;
    size_t index;
    json_array_foreach(json_object_get(root, "cases"), index, one)
    {
        const json_t *expected = json_object_get(one, "expected");
        const json_t *config = json_object_get(expected, "config");
        struct galvatron_file file;
        struct document document;
        struct rk_error error;
        int layer = 0;
        if (!config) continue;
        char *text = json_dumps(config, JSON_INDENT(4));
        cr_assert_eq(document_parse("s.json", text, strlen(text), &document, &error), RK_OK);
        const struct place place = place_root(&document);
        cr_assert_eq(galvatron_strategy_read(&place, &file, &error), RK_OK, "%s", error.text);
        cr_expect(file.odd_key);
        json_t *run, *runs = json_object_get(expected, "layers");
        size_t r;
        json_array_foreach(runs, r, run)
        {
            const json_int_t length = json_integer_value(json_array_get(run, 0));
            for (json_int_t i = 0; i < length; i++, layer++) {
                char name[GALVATRON_NAME];
                cr_expect_str_eq(galvatron_name(name, &file.layer[layer]),
                                 json_string_value(json_array_get(run, 1)));
            }
        }
        cr_expect_eq(layer, file.layers);
        galvatron_file_release(&file);
        document_release(&document);
        free(text);
    }
    json_decref(root);
}

/* Each thing that is wrong in a profile is named where it stands. */
Test(galvatron, profiles_with_faults)
{
    static const struct {
        const char *path, *key; /* taken out of profiles.json */
        const char *says;
    } faults[] = {
        {"hardware/shipped-1x8/allreduce", "allreduce_size_4_consec_0",
         "allreduce_size_4_consec_0"},
        {"hardware/shipped-1x8/p2p", "pp_size_2", "pp_size_2"},
        {"hardware/shipped-1x8/overlap", "overlap_coe", "overlap_coe"},
        {"hardware/shipped-1x8", "sp", "\"sp\""},
        {"models/llama2-7b/memory/layertype_0_sp/2048/tp_activation_per_bsz_dict", "8", "degree 8"},
        {"models/llama2-7b/memory/layertype_0_sp/2048/tp_activation_per_bsz_dict", "checkpoint",
         "checkpoint"},
        {"models/llama2-7b/memory/layertype_0_sp", "2048", "2048"},
        {"models/llama2-7b/memory/other_memory_pp_off_sp", "2048", "2048"},
        {"models/llama2-7b/memory/other_memory_pp_on_last_sp/2048/model_states", "4", "degree 4"},
        {"models/llama2-7b", "hidden", "\"hidden\""},
        {"models", "llama2-7b", "no model \"llama2-7b\""},
    };
    const struct galvatron_question question = {
        .model = "llama2-7b",
        .hardware = "shipped-1x8",
        .shape = {1, {32}, {2048}},
        .batch = 64,
        .memory_GB = 24,
        .max_pipeline = 8,
        .max_tensor = 8,
        .max_ulysses = 8,
    };
    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++) {
        json_t *root = golden_load(FOLDER "profiles.json"), *at = root;
        char path[128];
        struct document document;
        struct galvatron_setting setting = {.choice = {.layers = 0}};
        struct rk_error error;
        snprintf(path, sizeof path, "%s", faults[i].path);
        for (char *name = strtok(path, "/"); name; name = strtok(NULL, "/"))
            at = json_object_get(at, name);
        cr_assert_eq(json_object_del(at, faults[i].key), 0, "%s", faults[i].key);
        char *text = json_dumps(root, JSON_INDENT(1));
        cr_assert_eq(document_parse("p.json", text, strlen(text), &document, &error), RK_OK);
        cr_expect_eq(galvatron_set(&document, &question, &setting, &error), RK_BAD_INPUT);
        cr_expect(strstr(error.text, faults[i].says), "%s: %s", faults[i].says, error.text);
        cr_expect_gt(error.line, 0);
        galvatron_setting_release(&setting);
        document_release(&document);
        free(text);
        json_decref(root);
    }
}
