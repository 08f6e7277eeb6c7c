/* galvatron_strategies.c - strategy files: read, judged, said as plans; and which strategies there
 * are. */
#include "commands/galvatron.h"
#include "galvatron/convert.h"
#include "galvatron/judge.h"
#include <reckon/catalog.h>

#include <stdlib.h>

/* ---- check ---- */

struct check_args {
    struct question_args question;
    const char *file;
    struct show_args show;
};

/* clang-format off */
#define CHECK(member) offsetof(struct check_args, member)
static const struct operand check_operands[] = {
    {.name = "STRATEGY", .help = "Strategy file of Galvatron, .json", .offset = CHECK(file), .complete = "file"},
    {.name = "KEY=VALUE", .help = "With --profiles: layers, sequence, memory_GB and what differs from the presets",
     .offset = CHECK(question.keys), .optional = OPERAND_MANY},
    {.name = NULL},
};
/* clang-format on */

const struct usage galvatron_check_usage = {
    .name = "galvatron check",
    .summary = "read a strategy file and time it by Galvatron's cost model",
    .synopsis = "STRATEGY [--profiles FILE [-m NAME] [-s NAME] KEY=VALUE...]",
    .description = "Prints how each layer is run, or the faults of the file: missing and unknown "
                   "keys, lists of "
                   "wrong length, degrees whose product is not the number of ranks, layers that do "
                   "not add up. "
                   "With --profiles also prints its time and memory; exit status 1 when the memory "
                   "is too small.",
    .operands = check_operands,
    .words_title = "Words",
    .words = galvatron_question_words,
    .groups = {{"Profiles", galvatron_question_options, CHECK(question)},
               {"Form", show_options, CHECK(show)},
               {"General", options_help_rows, 0}},
    .examples = {{"reckon galvatron check strategy.json", NULL},
                 {"reckon galvatron check strategy.json --profiles profiles.json -m llama2-7b "
                  "-s shipped-1x8 layers=32 sequence=2048 memory_GB=20",
                  "Print its time and memory:"}},
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
    if (status == RK_OK)
        status = galvatron_read_words(&args->question, &profiles, &question, error);
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

int run_galvatron_check(int argc, char **argv)
{
    struct check_args args = {.file = NULL};
    struct document document = {.text = NULL};
    struct galvatron_file file = {.layer = NULL};
    struct galvatron_answer answer = {.found = false};
    struct report report = {.first = NULL};
    struct rk_error error = {.status = RK_OK};
    const int done = options_read(&galvatron_check_usage, argc, argv, &args);
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
        galvatron_report(&report, &answer);
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
     .help = "Strategy file of Galvatron, .json",
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
     .help = "Write a plan file instead of words"},
    {.name = NULL},
};

const struct usage galvatron_plan_usage = {
    .name = "galvatron plan",
    .summary = "convert a strategy file to a plan",
    .synopsis = "STRATEGY [-o FILE]",
#include "help/galvatron-plan.h"
    .operands = plan_operands,
    .groups = {{"Options", plan_options_, 0}, {"General", options_help_rows, 0}},
};

int run_galvatron_plan(int argc, char **argv)
{
    struct plan_args args = {.file = NULL};
    struct document document = {.text = NULL};
    struct galvatron_file file = {.layer = NULL};
    struct rk_plan plan;
    struct rk_error error = {.status = RK_OK};
    char words[16384];
    const int done = options_read(&galvatron_plan_usage, argc, argv, &args);
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
    {.letter = 'g', .name = "gpus", .type = OPTION_NUMBER, .argument = "N", .offset = offsetof(struct list_args, gpus), .min = 1, .max = GALVATRON_MAX_DEGREE},
    {.name = "zero2", .type = OPTION_FLAG, .offset = offsetof(struct list_args, zero2)},
    {.name = "tree", .type = OPTION_FLAG, .offset = offsetof(struct list_args, tree)},
    {.name = NULL},
};
/* clang-format on */

const struct usage galvatron_list_usage = {
#include "help/galvatron-strategies.h"
    .groups = {{"Options", list_options, 0}, {"General", options_help_rows, 0}},
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

int run_galvatron_list(int argc, char **argv)
{
    struct list_args args = {.gpus = 8};
    struct rk_error error;
    const int done = options_read(&galvatron_list_usage, argc, argv, &args);
    if (done >= 0) return done;
    if (!galvatron_power_of_two((long)args.gpus)) {
        rk_fail(&error, RK_BAD_ARGUMENT, NULL, 0, 0, "--gpus: give a power of two");
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
