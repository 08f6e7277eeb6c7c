/* reckon galvatron: the published search of layer-wise strategies [wang2024], with its profiles and
 * its strategy files. */
#include "cli/commands.h"
#include "cli/show.h"
#include "galvatron/convert.h"
#include "galvatron/judge.h"
#include "galvatron/predicted.h"
#include "interop/output.h"
#include <reckon/catalog.h>

#include <stdlib.h>
#include <string.h>

/* ---- what the commands share ---- */

struct question_args {
    const char *profiles, *model, *system;
    struct option_texts keys;
};

/* clang-format off */
#define QUESTION(member) offsetof(struct question_args, member)
static const struct option question_options[] = {
    {.name = "profiles", .type = OPTION_TEXT, .argument = "FILE", .offset = QUESTION(profiles), .complete = "file",
     .help = "measured models and machines: {\"models\": {...}, \"hardware\": {...}}"},
    {.letter = 'm', .name = "model", .type = OPTION_TEXT, .argument = "NAME", .offset = QUESTION(model),
     .help = "a model of FILE (the only one)"},
    {.letter = 's', .name = "system", .type = OPTION_TEXT, .argument = "NAME", .offset = QUESTION(system),
     .help = "a machine of FILE (the only one)"},
    {.name = NULL},
};
static const struct option_word question_words[] = {
    {"layers=N,N",           "layers of each kind"},
    {"sequence=N,N",         "tokens of a sample, for each kind"},
    {"memory_GB=N",          "memory of a rank; above 20 a fifth is left to the allocator"},
    {"batch=N",              "samples a step; or min_bsz, max_bsz and bsz_scale: every batch of a range (8, 8, 8)"},
    {"chunks=N",             "microbatches (every divisor of the batch)"},
    {"fine_grained=0|1",     "1: each layer its own strategy, 0: one for all (1)"},
    {"default_dp_type=TYPE", "data parallelism that is not ZeRO-3: ddp or zero2 (ddp)"},
    {"pipeline_type=TYPE",   "gpipe, or pipedream_flush: 1F1B (gpipe)"},
    {"async_grad_reduce=B",  "true: the gradients of each chunk are reduced at once (true)"},
    {"precision=TYPE",       "bf16, fp16 or fp32 (bf16)"},
    {"max_pp_deg=N",         "largest degrees: of pipeline, max_tp_deg of tensor, max_sp_deg of Ulysses (8)"},
    {"disable_X=1",          "leave out X: pp, tp, sp, dp, fsdp (ZeRO-3), ckpt (recomputation), embedding_lmhead_tp, embedding_lmhead_sp"},
    {"transition_scale=X",   "of changes of layout: 1e-7 as published, 1e-9 by their units (1e-7)"},
    {NULL, NULL},
};
/* clang-format on */

static enum rk_status out_of_memory(struct rk_error *error)
{
    return rk_fail(error, RK_IO, NULL, 0, 0, "out of memory");
}

/* A value as JSON has it: a list where there is a comma, or the key is one of lists. */
static json_t *value_of(const char *key, const char *text)
{
    const bool list = strcmp(key, "layers") == 0 || strcmp(key, "sequence") == 0;
    char *buffer = NULL;
    json_t *value = NULL;
    if (asprintf(&buffer, list ? "[%s]" : "%s", text) >= 0)
        value = json_loads(buffer, JSON_DECODE_ANY, NULL);
    free(buffer);
    return value ? value : json_string(text);
}

/* The only name in a group of profiles, where none was given. */
static enum rk_status only_name(const struct document *profiles, const char *group,
                                const char **name, struct rk_error *error)
{
    const struct place root = place_root(profiles);
    struct place member;
    if (*name) return RK_OK;
    if (place_member(&root, group, &member) && json_object_size(member.value) == 1) {
        *name = json_object_iter_key(json_object_iter(member.value));
        return RK_OK;
    }
    return rk_fail(error, RK_USAGE, NULL, 0, 0,
                   "%s has several, or none, under \"%s\": name one with %s", profiles->path, group,
                   group[0] == 'm' ? "--model" : "--system");
}

/* The words KEY=VALUE as a document, so that they are read and refused as a file of cases is. */
static enum rk_status read_words(struct question_args *args, const struct document *profiles,
                                 struct galvatron_question *question, struct rk_error *error)
{
    struct document words = {.text = NULL};
    json_t *input = json_object();
    char *text = NULL;
    enum rk_status status = only_name(profiles, "models", &args->model, error);
    if (status == RK_OK) status = only_name(profiles, "hardware", &args->system, error);
    if (status == RK_OK) {
        json_object_set_new(input, "model", json_string(args->model));
        json_object_set_new(input, "hardware", json_string(args->system));
    }
    for (int i = 0; status == RK_OK && i < args->keys.count; i++) {
        const char *word = args->keys.text[i], *equals = strchr(word, '=');
        char key[64];
        if (!equals || equals - word >= (int)sizeof key) {
            status = rk_fail(error, RK_USAGE, NULL, 0, 0, "\"%.80s\" is no word KEY=VALUE", word);
            break;
        }
        snprintf(key, sizeof key, "%.*s", (int)(equals - word), word);
        json_object_set_new(input, key, value_of(key, equals + 1));
    }
    if (status == RK_OK && !(text = json_dumps(input, JSON_COMPACT))) status = out_of_memory(error);
    if (status == RK_OK) status = document_parse("the words", text, strlen(text), &words, error);
    if (status == RK_OK) {
        const struct place root = place_root(&words);
        status = galvatron_read_question(&root, question, error);
        if (status == RK_BAD_INPUT) { /* a line of words has no line and column */
            error->line = error->column = 0;
            error->status = status = RK_USAGE;
        }
    }
    document_release(&words);
    json_decref(input);
    free(text);
    return status;
}

static enum rk_status need_option(const char *value, const char *name, const char *what,
                                  struct rk_error *error)
{
    if (value) return RK_OK;
    return rk_fail(error, RK_USAGE, NULL, 0, 0, "give --%s FILE: %s", name, what);
}

/* ---- search ---- */

struct search_args {
    struct question_args question;
    const char *cases, *output;
    bool runtime;
    struct show_args show;
};

/* clang-format off */
#define SEARCH(member) offsetof(struct search_args, member)
static const struct operand search_operands[] = {
    {.name = "KEY=VALUE", .help = "what is asked, in the names of the published options",
     .offset = SEARCH(question.keys), .optional = OPERAND_MANY},
    {.name = NULL},
};
static const struct option search_options[] = {
    {.name = "cases", .type = OPTION_TEXT, .argument = "FILE", .offset = SEARCH(cases), .complete = "file",
     .help = "answer every case of FILE instead, {\"cases\": [{\"input\": {KEY: VALUE}}]}: a line of JSON each"},
    {.letter = 'o', .name = "output", .type = OPTION_TEXT, .argument = "FILE", .offset = SEARCH(output), .complete = "file",
     .help = "also write the strategy file"},
    {.name = "vocab-sdp", .type = OPTION_FLAG, .offset = SEARCH(runtime),
     .help = "write vocab_sdp as well, which the runtime reads where the search writes embed_sdp"},
    {.name = NULL},
};
/* clang-format on */

static const struct usage search_usage_ = {
    .name = "galvatron search",
    .summary = "the published search of a strategy for each layer",
    .synopsis = "--profiles FILE [-m NAME] [-s NAME] KEY=VALUE... | --profiles FILE --cases FILE",
    .description =
        "Repeats the search of Galvatron (Wang et al. 2024; PKU-DAIR/Hetu-Galvatron) on measured "
        "profiles: the same throughput, strategies and strategy file. What its code does oddly is "
        "kept, see docs/layerwise.md; reckon search does not do so.\n\n"
        "When nothing fits, the smallest memory in which something does is said.",
    .operands = search_operands,
    .words_title = "Words",
    .words = question_words,
    .groups = {{"Profiles", question_options, SEARCH(question)},
               {"Search", search_options, 0},
               {"Form", show_options, SEARCH(show)},
               {"General", options_help_rows, 0}},
    .examples =
        {{"reckon galvatron search --profiles profiles.json -m llama2-7b -s shipped-1x8 layers=32 "
          "sequence=2048 memory_GB=20 batch=32 chunks=4 default_dp_type=zero2 "
          "pipeline_type=pipedream_flush -o strategy.json",
          "A strategy for each of 32 layers on 8 GPUs of 20 GB:"},
         {"reckon galvatron search --profiles profiles.json --cases cases.json",
          "Many questions:"}},
};

static enum rk_status answer_cases(const struct search_args *args, const struct document *profiles,
                                   struct rk_error *error)
{
    struct document document = {.text = NULL};
    struct place cases;
    enum rk_status status = document_load(args->cases, &document, error);
    const struct place root = place_root(&document);
    if (status == RK_OK) status = galvatron_cases(&root, &cases, error);
    const size_t count = status == RK_OK ? json_array_size(cases.value) : 0;
    for (size_t i = 0; status == RK_OK && i < count; i++) {
        json_t *line = NULL;
        status = galvatron_case(profiles, &cases, i, &line, error);
        if (status == RK_OK) {
            json_dumpf(line, stdout, JSON_REAL_PRECISION(17));
            putchar('\n');
        }
        json_decref(line);
    }
    document_release(&document);
    return status;
}

static enum rk_status write_strategy(const struct search_args *args,
                                     const struct galvatron_question *question,
                                     const struct galvatron_answer *answer, struct rk_error *error)
{
    struct output output = {.file = NULL};
    json_t *file = galvatron_strategy_json(question, answer, args->runtime);
    enum rk_status status = file ? output_open(&output, args->output, error) : out_of_memory(error);
    if (status == RK_OK) {
        json_dumpf(file, output.file, JSON_INDENT(4));
        status = output_commit(&output, error);
    }
    output_abandon(&output);
    json_decref(file);
    return status;
}

static const struct report_column answer_columns[] = {
    {.name = "samples_per_s", .digits = 7},
    {.name = "step_s", .unit = "s", .digits = 4},
    {.name = "batch"},
    {.name = "chunks", .help = "microbatches"},
    {.name = "pipeline", .help = "stages"},
    {.name = "embedding", .help = "pipeline-split-data of embedding and head"},
};
static const struct report_column stage_columns[] = {
    {.name = "stage"},   {.name = "first_layer"}, {.name = "layers"},
    {.name = "used_MB"}, {.name = "left_MB"},
};
static const struct report_column layer_columns[] = {
    {.name = "layers"},  {.name = "strategy"}, {.name = "pipeline"}, {.name = "tensor"},
    {.name = "ulysses"}, {.name = "data"},     {.name = "zero3"},    {.name = "recompute"},
};
#define COUNT(array) (int)(sizeof(array) / sizeof *(array))

static void report_answer(struct report *report, const struct galvatron_answer *answer)
{
    char name[GALVATRON_NAME];
    struct report_table *whole =
        report_add(report, &(struct report_table){.shape = REPORT_RECORD,
                                                  .formats = REPORT_IN_TEXT | REPORT_IN_JSON,
                                                  .columns = answer_columns,
                                                  .column_count = COUNT(answer_columns)});
    report_row(report, whole,
               (struct report_cell[]){
                   answer->step_s > 0 ? cell_number(answer->samples_per_s) : cell_none(),
                   answer->step_s > 0 ? cell_number(answer->step_s) : cell_none(),
                   cell_count((uint64_t)answer->batch), cell_count((uint64_t)answer->chunks),
                   cell_count((uint64_t)answer->stages),
                   cell_text(report_text(report, "%s", galvatron_name(name, &answer->embedding)))});
    struct report_table *layers =
        report_add(report, &(struct report_table){.name = "layers",
                                                  .title = "Layers",
                                                  .formats = REPORT_IN_ALL,
                                                  .columns = layer_columns,
                                                  .column_count = COUNT(layer_columns)});
    for (int i = 0, next; i < answer->layers; i = next) {
        const struct galvatron_strategy *one = &answer->layer[i];
        for (next = i + 1; next < answer->layers; next++)
            if (!galvatron_same(one, &answer->layer[next])) break;
        report_row(report, layers,
                   (struct report_cell[]){
                       cell_count((uint64_t)(next - i)),
                       cell_text(report_text(report, "%s", galvatron_name(name, one))),
                       cell_count((uint64_t)one->pipeline), cell_count((uint64_t)one->tensor),
                       cell_count((uint64_t)one->ulysses), cell_count((uint64_t)one->data),
                       cell_flag(one->zero == GALVATRON_ZERO3), cell_flag(one->recompute)});
    }
    struct report_table *stages =
        report_add(report, &(struct report_table){.name = "stages",
                                                  .title = "Stages",
                                                  .formats = REPORT_IN_TEXT | REPORT_IN_JSON,
                                                  .columns = stage_columns,
                                                  .column_count = COUNT(stage_columns)});
    for (int i = 0, first = 0; i < answer->stages; first += answer->division[i], i++)
        report_row(report, stages,
                   (struct report_cell[]){
                       cell_count((uint64_t)i), cell_count((uint64_t)first),
                       cell_count((uint64_t)answer->division[i]),
                       answer->used_MB ? cell_count((uint64_t)answer->used_MB[i]) : cell_none(),
                       answer->left_MB ? cell_number(answer->left_MB[i]) : cell_none()});
}

static enum rk_status nothing_fits(const struct galvatron_question *question,
                                   const struct galvatron_answer *answer, struct rk_error *error)
{
    if (answer->least_GB)
        return rk_fail(error, RK_NOTHING_FITS, NULL, 0, 0,
                       "nothing fits in %ju GB: the smallest memory that does is memory_GB=%ju",
                       (uintmax_t)question->memory_GB, (uintmax_t)answer->least_GB);
    return rk_fail(
        error, RK_NOTHING_FITS, NULL, 0, 0,
        "no strategy divides the batch: give a batch that chunks divide into samples for "
        "every data rank, or leave chunks out");
}

static int answer_one(struct search_args *args, const struct document *profiles)
{
    struct galvatron_question question;
    struct galvatron_setting setting = {.choice = {.layers = 0}};
    struct galvatron_answer answer = {.found = false};
    struct report report = {.first = NULL};
    struct rk_error error = {.status = RK_OK};
    enum rk_status status = read_words(&args->question, profiles, &question, &error);
    if (status == RK_OK) status = galvatron_set(profiles, &question, &setting, &error);
    if (status == RK_OK)
        status = galvatron_search(&question, &setting.hardware, &setting.model, &setting.choice,
                                  &answer, &error);
    if (status == RK_OK && !answer.found) status = nothing_fits(&question, &answer, &error);
    if (status == RK_OK && args->output) status = write_strategy(args, &question, &answer, &error);
    int exit = (int)status;
    if (status == RK_OK) {
        report_answer(&report, &answer);
        exit = show_report(&report, &args->show, NULL, RK_OK);
    } else
        exit = options_fail(&error);
    report_release(&report);
    galvatron_answer_release(&answer);
    galvatron_setting_release(&setting);
    return exit;
}

static int run_search(int argc, char **argv)
{
    struct search_args args = {.cases = NULL};
    struct document profiles = {.text = NULL};
    struct rk_error error = {.status = RK_OK};
    const int done = options_read(&search_usage_, argc, argv, &args);
    if (done >= 0) return done;
    enum rk_status status =
        need_option(args.question.profiles, "profiles", "what was measured", &error);
    if (status == RK_OK) status = document_load(args.question.profiles, &profiles, &error);
    int exit = (int)status;
    if (status == RK_OK && !args.cases) {
        exit = answer_one(&args, &profiles);
    } else {
        if (status == RK_OK) status = answer_cases(&args, &profiles, &error);
        exit = status == RK_OK ? show_finish(RK_OK) : options_fail(&error);
    }
    document_release(&profiles);
    return exit;
}

/* ---- check ---- */

struct check_args {
    struct question_args question;
    const char *file;
    struct show_args show;
};

/* clang-format off */
#define CHECK(member) offsetof(struct check_args, member)
static const struct operand check_operands[] = {
    {.name = "STRATEGY", .help = "a strategy file of Galvatron's, .json", .offset = CHECK(file), .complete = "file"},
    {.name = "KEY=VALUE", .help = "with --profiles: layers, sequence, memory_GB and what differs from the presets",
     .offset = CHECK(question.keys), .optional = OPERAND_MANY},
    {.name = NULL},
};
/* clang-format on */

static const struct usage check_usage_ = {
    .name = "galvatron check",
    .summary = "read a strategy file, and time it by Galvatron's cost model",
    .synopsis = "STRATEGY [--profiles FILE [-m NAME] [-s NAME] KEY=VALUE...]",
    .description =
        "Says how each layer is run, or what is wrong with the file: missing and unknown "
        "keys, lists of other lengths, degrees that do not multiply to the ranks, layers "
        "that do not add up. With --profiles also its time and memory; exit status 1 when "
        "that is too much.",
    .operands = check_operands,
    .words_title = "Words",
    .words = question_words,
    .groups = {{"Profiles", question_options, CHECK(question)},
               {"Form", show_options, CHECK(show)},
               {"General", options_help_rows, 0}},
    .examples = {{"reckon galvatron check strategy.json", NULL},
                 {"reckon galvatron check strategy.json --profiles profiles.json -m llama2-7b "
                  "-s shipped-1x8 layers=32 sequence=2048 memory_GB=20",
                  "Its time and memory:"}},
};

/* The file as it is, without time and memory. */
static void bare_answer(struct galvatron_answer *answer, const struct galvatron_file *file)
{
    *answer = (struct galvatron_answer){.batch = file->batch,
                                        .chunks = file->chunks,
                                        .stages = file->stages,
                                        .layers = file->layers,
                                        .embedding = file->embedding,
                                        .layer = file->layer,
                                        .division = file->division};
}

/* What the file and the words say together. */
static enum rk_status judge_file(struct check_args *args, const struct galvatron_file *file,
                                 struct galvatron_answer *answer, struct rk_error *error)
{
    struct document profiles = {.text = NULL};
    struct galvatron_question question;
    struct galvatron_setting setting = {.choice = {.layers = 0}};
    enum rk_status status = document_load(args->question.profiles, &profiles, error);
    if (status == RK_OK) status = read_words(&args->question, &profiles, &question, error);
    if (status == RK_OK) {
        question.batch = (uint64_t)file->batch;
        question.chunks = (uint64_t)file->chunks;
        question.max_pipeline = question.max_tensor = question.max_ulysses = (uint64_t)file->world;
        status = galvatron_set_for(&profiles, &question, file, &setting, error);
    }
    if (status == RK_OK) status = galvatron_judge(&question, &setting, file, answer, error);
    galvatron_setting_release(&setting);
    document_release(&profiles);
    return status;
}

static int run_check(int argc, char **argv)
{
    struct check_args args = {.file = NULL};
    struct document document = {.text = NULL};
    struct galvatron_file file = {.layer = NULL};
    struct galvatron_answer answer = {.found = false};
    struct report report = {.first = NULL};
    struct rk_error error = {.status = RK_OK};
    const int done = options_read(&check_usage_, argc, argv, &args);
    if (done >= 0) return done;
    enum rk_status status = document_load(args.file, &document, &error);
    const struct place root = place_root(&document);
    if (status == RK_OK) status = galvatron_strategy_read(&root, &file, &error);
    const bool timed = args.question.profiles != NULL;
    if (status == RK_OK && timed) status = judge_file(&args, &file, &answer, &error);
    int exit;
    if (status != RK_OK) {
        exit = options_fail(&error);
    } else {
        if (file.odd_key)
            fputs("reckon: embed_sdp is what the search writes: the runtime reads vocab_sdp, which "
                  "is not there\n",
                  stderr);
        if (!timed) bare_answer(&answer, &file);
        report_answer(&report, &answer);
        exit = show_report(&report, &args.show, NULL,
                           timed && !answer.found ? RK_NOTHING_FITS : RK_OK);
    }
    report_release(&report);
    if (timed) galvatron_answer_release(&answer);
    galvatron_file_release(&file);
    document_release(&document);
    return exit;
}

/* ---- plan ---- */

struct plan_args {
    const char *file, *output;
};

static const struct operand plan_operands[] = {
    {.name = "STRATEGY",
     .help = "a strategy file of Galvatron's, .json",
     .offset = offsetof(struct plan_args, file),
     .complete = "file"},
    {.name = NULL},
};
static const struct option plan_options_[] = {
    {.letter = 'o',
     .name = "output",
     .type = OPTION_TEXT,
     .argument = "FILE",
     .offset = offsetof(struct plan_args, output),
     .complete = "file",
     .help = "write a plan file instead of words"},
    {.name = NULL},
};

static const struct usage plan_usage = {
    .name = "galvatron plan",
    .summary = "a strategy file as a plan of reckon's",
    .synopsis = "STRATEGY [-o FILE]",
    .description =
        "Says the strategy of each layer in the words of a plan, for reckon predict, "
        "timeline, fits and diff: layers that differ from embedding and head are runs of "
        "their own. Ulysses is context parallelism of that kind.",
    .operands = plan_operands,
    .groups = {{"Options", plan_options_, 0}, {"General", options_help_rows, 0}},
    .examples =
        {{"reckon predict -m llama2-7b -s a100-sxm4-80g $(reckon galvatron plan strategy.json)",
          "What Reckon's own predictor says of it:"}},
};

static int run_plan_of(int argc, char **argv)
{
    struct plan_args args = {.file = NULL};
    struct document document = {.text = NULL};
    struct galvatron_file file = {.layer = NULL};
    struct rk_plan plan;
    struct rk_error error = {.status = RK_OK};
    char words[16384];
    const int done = options_read(&plan_usage, argc, argv, &args);
    if (done >= 0) return done;
    enum rk_status status = document_load(args.file, &document, &error);
    const struct place root = place_root(&document);
    if (status == RK_OK) status = galvatron_strategy_read(&root, &file, &error);
    if (status == RK_OK) status = galvatron_plan_of(&file, &plan, &error);
    if (status == RK_OK && args.output) status = rk_plan_save(args.output, &plan, &error);
    int code = (int)status;
    if (status != RK_OK) {
        code = options_fail(&error);
    } else if (!args.output) {
        rk_plan_text(&plan, words, sizeof words);
        puts(words);
        code = show_finish(RK_OK);
    }
    galvatron_file_release(&file);
    document_release(&document);
    return code;
}

/* ---- strategies ---- */

struct list_args {
    uint64_t gpus;
    bool zero2, tree;
};

/* clang-format off */
static const struct option list_options[] = {
    {.letter = 'g', .name = "gpus", .type = OPTION_NUMBER, .argument = "N", .offset = offsetof(struct list_args, gpus), .min = 1, .max = GALVATRON_MAX_DEGREE,
     .help = "ranks, a power of two (8)"},
    {.name = "zero2", .type = OPTION_FLAG, .offset = offsetof(struct list_args, zero2),
     .help = "data parallelism that is not ZeRO-3 is ZeRO-2"},
    {.name = "tree", .type = OPTION_FLAG, .offset = offsetof(struct list_args, tree),
     .help = "the leaves of the first paper's decision tree instead, pruned, with how many there are without pruning and with recomputation"},
    {.name = NULL},
};
/* clang-format on */

static const struct usage list_usage = {
    .name = "galvatron strategies",
    .summary = "the ways to run a layer that the search considers",
    .synopsis = "[-g N] [--zero2 | --tree]",
    .description = "One name a line, in the order that decides ties.",
    .groups = {{"Options", list_options, 0}, {"General", options_help_rows, 0}},
    .examples = {{"reckon galvatron strategies -g 8", "50 ways on 8 ranks:"},
                 {"reckon galvatron strategies -g 8 --tree",
                  "22 leaves of 34, 44 with recomputation:"}},
};

static void print_tree(int world)
{
    const size_t all = galvatron_tree(world, false, 0, NULL);
    const size_t count = galvatron_tree(world, true, 0, NULL);
    struct galvatron_leaf *leaf = calloc(count, sizeof *leaf);
    if (!leaf) return;
    galvatron_tree(world, true, count, leaf);
    for (size_t i = 0; i < count; i++) {
        printf("pp%d", leaf[i].pipeline);
        for (int k = 0; k < leaf[i].levels; k++)
            printf(" %s%d",
                   leaf[i].level[k].kind == 't'   ? "tp"
                   : leaf[i].level[k].kind == 's' ? "sdp"
                                                  : "dp",
                   leaf[i].level[k].degree);
        putchar('\n');
    }
    printf("%zu leaves, of %zu without pruning, %zu with recomputation\n", count, all, 2 * count);
    free(leaf);
}

static int run_list(int argc, char **argv)
{
    struct list_args args = {.gpus = 8};
    struct rk_error error;
    const int done = options_read(&list_usage, argc, argv, &args);
    if (done >= 0) return done;
    if (!galvatron_power_of_two((long)args.gpus)) {
        rk_fail(&error, RK_USAGE, NULL, 0, 0, "--gpus: give a power of two");
        return options_fail(&error);
    }
    if (args.tree) {
        print_tree((int)args.gpus);
        return show_finish(RK_OK);
    }
    const struct galvatron_space space = {.world = (int)args.gpus,
                                          .max_pipeline = 8,
                                          .max_tensor = 8,
                                          .max_ulysses = 8,
                                          .ordinary = args.zero2 ? GALVATRON_ZERO2 : GALVATRON_DDP};
    const size_t count = galvatron_layer_strategies(&space, 0, NULL);
    struct galvatron_strategy *list = calloc(count + 1, sizeof *list);
    if (list) galvatron_layer_strategies(&space, count, list);
    for (size_t i = 0; list && i < count; i++) {
        char name[GALVATRON_NAME];
        puts(galvatron_name(name, &list[i]));
    }
    free(list);
    return show_finish(RK_OK);
}

/* ---- profile ---- */

struct profile_args {
    const char *model, *system, *output;
    uint64_t gpus, sequence;
};

/* clang-format off */
#define PROFILE(member) offsetof(struct profile_args, member)
static const struct option profile_options[] = {
    {.letter = 'm', .name = "model", .type = OPTION_TEXT, .argument = "MODEL", .offset = PROFILE(model), .complete = "models",
     .help = "an id of `reckon models`, or a file"},
    {.letter = 's', .name = "system", .type = OPTION_TEXT, .argument = "SYSTEM", .offset = PROFILE(system), .complete = "systems",
     .help = "an id of `reckon systems`, or a file"},
    {.letter = 'g', .name = "gpus", .type = OPTION_NUMBER, .argument = "N", .offset = PROFILE(gpus), .min = 2, .max = GALVATRON_MAX_DEGREE,
     .help = "ranks, a power of two (8)"},
    {.name = "sequence", .type = OPTION_NUMBER, .argument = "TOKENS", .offset = PROFILE(sequence), .min = 1, .max = 1 << 24,
     .help = "tokens of a sample (the model's)"},
    {.letter = 'o', .name = "output", .type = OPTION_TEXT, .argument = "FILE", .offset = PROFILE(output), .complete = "file",
     .help = "write to FILE instead of standard output (-)"},
    {.name = NULL},
};
/* clang-format on */

static const struct usage profile_usage = {
    .name = "galvatron profile",
    .summary = "profiles in Galvatron's form, predicted instead of measured",
    .synopsis = "-m MODEL -s SYSTEM [-g N] [--sequence TOKENS] [-o FILE]",
    .description =
        "Writes what Galvatron would measure of a model and a machine, as Reckon predicts it, so "
        "that reckon galvatron search can be asked about any of them. Nothing slows down beside "
        "communication there (overlap_coe 1).",
    .groups = {{"Options", profile_options, 0}, {"General", options_help_rows, 0}},
    .examples = {{"reckon galvatron profile -m llama3.1-8b -s h100-sxm5-80g -o p.json && "
                  "reckon galvatron search --profiles p.json layers=32 sequence=8192 memory_GB=80 "
                  "batch=64",
                  "Galvatron's search on a machine of the catalog:"}},
};

static int run_profile(int argc, char **argv)
{
    struct profile_args args = {.gpus = 8, .output = "-"};
    struct rk_model model;
    struct rk_system system = {.memories = 0};
    struct rk_error error = {.status = RK_OK};
    struct output output = {.file = NULL};
    json_t *profiles = NULL;
    const int done = options_read(&profile_usage, argc, argv, &args);
    if (done >= 0) return done;
    enum rk_status status = RK_OK;
    if (!args.model || !args.system)
        status = rk_fail(&error, RK_USAGE, NULL, 0, 0, "give --model and --system");
    if (status == RK_OK) status = rk_model_load(args.model, &model, &error);
    if (status == RK_OK) status = rk_system_load(args.system, &system, &error);
    if (status == RK_OK)
        status = galvatron_predict(&model, &system, args.gpus, args.sequence, &profiles, &error);
    if (status == RK_OK) status = output_open(&output, args.output, &error);
    if (status == RK_OK) {
        json_dumpf(profiles, output.file, JSON_INDENT(1) | JSON_REAL_PRECISION(12));
        fputc('\n', output.file);
        status = output_commit(&output, &error);
    }
    output_abandon(&output);
    json_decref(profiles);
    rk_system_release(&system);
    return status == RK_OK ? RK_OK : options_fail(&error);
}

/* ---- collect ---- */

struct collect_args {
    const char *model, *system, *output;
    const char *file[6];
    uint64_t hidden, nodes, per_node;
    int time_mode, memory_mode;
};

static const char *const time_modes[] = {"static", "batch", "sequence", NULL};
static const char *const memory_modes[] = {"static", "sequence", NULL};

/* clang-format off */
#define COLLECT(member) offsetof(struct collect_args, member)
#define PROFILED(name_, i, text) \
    {.name = name_, .type = OPTION_TEXT, .argument = "FILE", .offset = COLLECT(file[i]), .complete = "file", .help = text}
static const struct option collect_options[] = {
    {.letter = 'm', .name = "model", .type = OPTION_TEXT, .argument = "NAME", .offset = COLLECT(model), .help = "what to call the model"},
    {.name = "hidden", .type = OPTION_NUMBER, .offset = COLLECT(hidden), .min = 1, .max = 1 << 20, .help = "its width"},
    PROFILED("time", 0, "computation_profiling_*.json"),
    PROFILED("memory", 1, "memory_profiling_*.json"),
    {.name = "time-mode", .type = OPTION_CHOICE, .choices = time_modes, .offset = COLLECT(time_mode), .help = "how its times were profiled (static)"},
    {.name = "memory-mode", .type = OPTION_CHOICE, .choices = memory_modes, .offset = COLLECT(memory_mode), .help = "how its memory was profiled (static)"},
    {.letter = 's', .name = "system", .type = OPTION_TEXT, .argument = "NAME", .offset = COLLECT(system), .help = "what to call the machine"},
    {.name = "nodes", .type = OPTION_NUMBER, .offset = COLLECT(nodes), .min = 1, .max = GALVATRON_MAX_DEGREE, .help = "its nodes (1)"},
    {.name = "gpus-per-node", .type = OPTION_NUMBER, .offset = COLLECT(per_node), .min = 1, .max = GALVATRON_MAX_DEGREE, .help = "GPUs of each (8)"},
    PROFILED("allreduce", 2, "allreduce_bandwidth_*.json"),
    PROFILED("p2p", 3, "p2p_bandwidth_*.json"),
    PROFILED("overlap", 4, "overlap_coefficient.json"),
    PROFILED("sp", 5, "sp_time_*.json"),
    {.letter = 'o', .name = "output", .type = OPTION_TEXT, .argument = "FILE", .offset = COLLECT(output), .complete = "file",
     .help = "write to FILE instead of standard output (-)"},
    {.name = NULL},
};
/* clang-format on */

static const struct usage collect_usage = {
    .name = "galvatron collect",
    .summary = "Galvatron's profile files as the one that search and check read",
    .synopsis = "-m NAME --hidden N --time FILE --memory FILE -s NAME --allreduce FILE --p2p FILE "
                "--overlap FILE --sp FILE [options]",
    .description = "Puts what Galvatron's profilers wrote into one file. What is in the files is "
                   "checked when it is used.",
    .groups = {{"Options", collect_options, 0}, {"General", options_help_rows, 0}},
    .examples = {{"reckon galvatron collect -m llama2-7b --hidden 4096 --time-mode batch "
                  "--time computation_profiling_bf16_llama2-7b_all.json "
                  "--memory memory_profiling_bf16_llama2-7b_all.json -s node "
                  "--allreduce allreduce_bandwidth_1nodes_8gpus_per_node.json "
                  "--p2p p2p_bandwidth_1nodes_8gpus_per_node.json "
                  "--overlap overlap_coefficient.json --sp sp_time_1nodes_8gpus_per_node.json "
                  "-o profiles.json",
                  NULL}},
};

/* NULL: `error` says why. */
static json_t *collect(const struct collect_args *args, struct rk_error *error)
{
    static const char *const names[] = {"time", "memory", "allreduce", "p2p", "overlap", "sp"};
    struct document document[6] = {{.text = NULL}};
    json_t *all = NULL;
    enum rk_status status = RK_OK;
    if (!args->model || !args->system || !args->hidden)
        status = rk_fail(error, RK_USAGE, NULL, 0, 0, "give --model, --hidden and --system");
    for (int i = 0; status == RK_OK && i < 6; i++) {
        status = need_option(args->file[i], names[i], "see --help for what it is", error);
        if (status == RK_OK) status = document_load(args->file[i], &document[i], error);
    }
    if (status == RK_OK) {
        all = json_pack("{s{s{s[I] sO sO ss ss}} s{s{sI sI sO sO sO sO}}}", "models", args->model,
                        "hidden", (json_int_t)args->hidden, "time", document[0].root, "memory",
                        document[1].root, "time_mode", time_modes[args->time_mode], "memory_mode",
                        memory_modes[args->memory_mode], "hardware", args->system, "nodes",
                        (json_int_t)args->nodes, "gpus_per_node", (json_int_t)args->per_node,
                        "allreduce", document[2].root, "p2p", document[3].root, "overlap",
                        document[4].root, "sp", document[5].root);
        if (!all) out_of_memory(error);
    }
    for (int i = 0; i < 6; i++)
        document_release(&document[i]);
    return all;
}

static int run_collect(int argc, char **argv)
{
    struct collect_args args = {.nodes = 1, .per_node = 8, .output = "-"};
    struct rk_error error = {.status = RK_OK};
    struct output output = {.file = NULL};
    const int done = options_read(&collect_usage, argc, argv, &args);
    if (done >= 0) return done;
    json_t *all = collect(&args, &error);
    enum rk_status status = all ? output_open(&output, args.output, &error) : error.status;
    if (status == RK_OK) {
        json_dumpf(all, output.file, JSON_INDENT(1) | JSON_REAL_PRECISION(17));
        fputc('\n', output.file);
        status = output_commit(&output, &error);
    }
    output_abandon(&output);
    json_decref(all);
    return status == RK_OK ? RK_OK : options_fail(&error);
}

/* ---- the command ---- */

static const struct command galvatron_commands[] = {
    {"search", run_search, "the published search of a strategy for each layer", &search_usage_},
    {"check", run_check, "read a strategy file, and time it by Galvatron's cost model",
     &check_usage_},
    {"plan", run_plan_of, "a strategy file as a plan of reckon's", &plan_usage},
    {"collect", run_collect, "Galvatron's profile files as the one that search and check read",
     &collect_usage},
    {"strategies", run_list, "the ways to run a layer that the search considers", &list_usage},
    {"profile", run_profile, "profiles in Galvatron's form, predicted instead of measured",
     &profile_usage},
    {.name = NULL},
};

const struct usage galvatron_usage = {
    .name = "galvatron",
    .summary = "the search of the published tool Galvatron",
    .synopsis = "COMMAND ...",
    .description =
        "Takes the profiles of Galvatron (Miao et al., VLDB 2023; Wang et al. 2024) and answers as "
        "it does; docs/layerwise.md says what it computes.",
    .groups = {{"General", options_help_rows, 0}},
    .examples = {{"reckon galvatron search --profiles profiles.json -m llama2-7b -s shipped-1x8 "
                  "layers=32 sequence=2048 memory_GB=20 batch=32",
                  "The best strategy of each layer:"}},
    .commands = galvatron_commands,
};

int cmd_galvatron(int argc, char **argv)
{
    struct rk_error error;
    char none;
    if (argc > 1 && argv[1][0] != '-') {
        const struct command *command = options_command(galvatron_commands, argv[1], &error);
        return command ? command->run(argc - 1, argv + 1) : options_fail(&error);
    }
    const int done = options_read(&galvatron_usage, argc, argv, &none);
    if (done >= 0) return done;
    rk_fail(&error, RK_USAGE, NULL, 0, 0,
            "galvatron: give a command: search, check, plan, collect, strategies or profile");
    return options_fail(&error);
}
