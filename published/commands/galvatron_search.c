/* galvatron_search.c - the published search, one question or many. */
#include "commands/galvatron.h"
#include "galvatron/cases.h"
#include "galvatron/strategy_file.h"
#include "text/output.h"

#include <stdlib.h>

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
    {.name = "KEY=VALUE", .help = "Question in the names of the published options",
     .offset = SEARCH(question.keys), .optional = OPERAND_MANY},
    {.name = NULL},
};
static const struct option search_options[] = {
    {.name = "cases", .type = OPTION_TEXT, .argument = "FILE", .offset = SEARCH(cases), .complete = "file"},
    {.letter = 'o', .name = "output", .type = OPTION_TEXT, .argument = "FILE", .offset = SEARCH(output), .complete = "file"},
    {.name = "vocab-sdp", .type = OPTION_FLAG, .offset = SEARCH(runtime)},
    {.name = NULL},
};
/* clang-format on */

const struct usage galvatron_search_usage = {
#include "help/galvatron-search.h"
    .operands = search_operands,
    .words_title = "Words",
    .words = galvatron_question_words,
    .groups = {{"Profiles", galvatron_question_options, SEARCH(question)},
               {"Search", search_options, 0},
               {"Form", show_options, SEARCH(show)},
               {"General", options_help_rows, 0}},
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
    enum rk_status status =
        file ? output_open(&output, args->output, error) : galvatron_no_memory(error);
    if (status == RK_OK) {
        json_dumpf(file, output.file, JSON_INDENT(4));
        status = output_commit(&output, error);
    }
    output_abandon(&output);
    json_decref(file);
    return status;
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
    enum rk_status status = galvatron_read_words(&args->question, profiles, &question, &error);
    if (status == RK_OK) status = galvatron_set(profiles, &question, &setting, &error);
    if (status == RK_OK)
        status = galvatron_search(&question, &setting.hardware, &setting.model, &setting.choice,
                                  &answer, &error);
    if (status == RK_OK && !answer.found) status = nothing_fits(&question, &answer, &error);
    if (status == RK_OK && args->output) status = write_strategy(args, &question, &answer, &error);
    int exit = (int)status;
    if (status == RK_OK) {
        galvatron_report(&report, &answer);
        exit = show_report(&report, &args->show, NULL, RK_OK);
    } else
        exit = options_fail(&error);
    report_release(&report);
    galvatron_answer_release(&answer);
    galvatron_setting_release(&setting);
    return exit;
}

int run_galvatron_search(int argc, char **argv)
{
    struct search_args args = {.cases = NULL};
    struct document profiles = {.text = NULL};
    struct rk_error error = {.status = RK_OK};
    const int done = options_read(&galvatron_search_usage, argc, argv, &args);
    if (done >= 0) return done;
    enum rk_status status =
        galvatron_want(args.question.profiles, "profiles", "what was measured", &error);
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
