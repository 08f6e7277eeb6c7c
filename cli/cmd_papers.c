/* reckon papers: published systems, each paper's figures next to predicted ones. */
#include "base/number.h"
#include "base/text.h"
#include "catalog/catalog.h"
#include "cli/commands.h"
#include "cli/compare.h"
#include "cli/show.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

struct papers_args {
    const char *name, *output;
    bool run;
    struct show_args show;
};

/* clang-format off */
static const struct operand papers_operands[] = {
    {.name = "PAPER", .offset = offsetof(struct papers_args, name), .optional = true, .complete = NULL},
    {.name = NULL},
};

static const struct option papers_options[] = {
    {.name = "run", .type = OPTION_FLAG, .offset = offsetof(struct papers_args, run)},
    OPTION_OUTPUT_ROW(.offset = offsetof(struct papers_args, output)),
    {.name = NULL},
};

const struct usage papers_usage = {
#include "help/papers.h"
    .operands = papers_operands,
    .groups = {
        {"Papers", papers_options, 0},
        {"Form", show_options, offsetof(struct papers_args, show)},
        {"General", options_help_rows, 0},
    },
};

static const struct paper {
    const char *name, *key, *about;
    const char *study;  /* of searches, below studies/; NULL: commands alone */
} papers[] = {
    {"holmes",         "yang2024holmes",    "training over clusters with different networks",        NULL},
    {"mt-nlg",         "smith2022",         "Megatron-Turing NLG 530B on 2,240 to 3,360 A100",       NULL},
    {"memo",           "zhao2025memo",      "a million tokens on eight GPUs: two buffers, planned addresses", NULL},
    {"mgpt",           "shliazhko2022",     "multilingual GPT: text, tokenizers, sparse attention",  NULL},
    {"galvatron",      "miao2022",          "a strategy for each layer",                             NULL},
    {"ssdtrain",       "wu2025ssdtrain",    "activations on drives",                                 NULL},
    {"redco",          "tan2024",           "two rules that split any model",                        NULL},
    {"bugs",           "bugs308",           "bugs of DeepSpeed, Megatron-LM and Colossal-AI",        NULL},
    {"bigmac",         "jin2025",           "experts that narrow the token before they communicate", NULL},
    {"calculon",       "isaev2023",         "the space of plans of GPT-3 to Megatron-1T",            "calculon-sc23"},
    {"multi-trillion", "isaev2023scaling",  "memory and networks for 1T to 128T",                    "multi-trillion"},
};
/* clang-format on */

enum { PAPERS = COUNT_OF(papers), PATH_SIZE = 4096 };

/* ---- files ---- */

/* The scripts are with the catalog; studies next to it, in the source tree and where installed. */
static enum rk_status find_file(const struct paper *paper, const char *ending, char path[PATH_SIZE],
                                struct rk_error *error)
{
    static const char *const places[] = {"studies", "../studies"};
    char folder[PATH_SIZE];
    const enum rk_status status = catalog_folder(folder, sizeof folder - 256, error);
    if (status != RK_OK) return status;
    if (!paper->study) {
        snprintf(path, PATH_SIZE, "%.3800s/papers/%s.%s", folder, paper->name, ending);
        if (access(path, R_OK) == 0) return RK_OK;
    }
    for (int i = 0; paper->study && i < COUNT_OF(places); i++) {
        snprintf(path, PATH_SIZE, "%.3800s/%s/%s/paper.%s", folder, places[i], paper->study,
                 ending);
        if (access(path, R_OK) == 0) return RK_OK;
    }
    return rk_fail(error, RK_IO, path, 0, 0,
                   "the paper's files are missing: install data/ and studies/");
}

static const struct paper *find_paper(const char *name, struct rk_error *error)
{
    const char *names[PAPERS + 1] = {NULL};
    for (int i = 0; i < PAPERS; i++) {
        if (strcmp(papers[i].name, name) == 0) return &papers[i];
        names[i] = papers[i].name;
    }
    const char *nearest = text_nearest(name, names);
    rk_fail(error, RK_BAD_ARGUMENT, NULL, 0, 0, "no paper \"%.60s\": %s%s", name,
            nearest ? "did you mean " : "`reckon papers` lists them", nearest ? nearest : "");
    return NULL;
}

/* ---- one paper ---- */

/* Fills the database of its searches, if it has any. */
static enum rk_status search(const struct paper *paper, char *database, struct rk_error *error)
{
    char file[PATH_SIZE];
    const enum rk_status status = find_file(paper, "json", file, error);
    if (status != RK_OK) return status;
    char *words[] = {"study", file, "--db", database, "--quiet", "--output", "/dev/null", NULL};
    const int code = cmd_study(COUNT_OF(words) - 1, words);
    return code <= 1 ? RK_OK
                     : rk_fail(error, RK_BAD_INPUT, file, 0, 0,
                               "the study failed with exit status %d", code);
}

static enum rk_status compare(const struct paper *paper, bool run,
                              struct study_comparison *comparison, struct rk_error *error)
{
    const struct comparison_hooks hooks = compare_hooks(run);
    char script[PATH_SIZE], folder[PATH_SIZE / 4], database[PATH_SIZE / 2] = "";
    char lock[PATH_SIZE / 2 + 16];
    const char *temporary = getenv("TMPDIR");
    *comparison = (struct study_comparison){.items = 0};
    enum rk_status status = find_file(paper, "sql", script, error);
    if (status != RK_OK || !paper->study)
        return status == RK_OK ? study_compare(NULL, script, &hooks, comparison, error) : status;
    snprintf(folder, sizeof folder, "%.900s/reckon-papers-XXXXXX",
             temporary && *temporary ? temporary : P_tmpdir);
    if (!mkdtemp(folder))
        return rk_fail(error, RK_IO, folder, 0, 0, "no temporary folder can be made");
    snprintf(database, sizeof database, "%s/paper.db", folder);
    status = search(paper, database, error);
    if (status == RK_OK) status = study_compare(database, script, &hooks, comparison, error);
    static const char *const endings[] = {"", ".lock", "-wal", "-shm", "-journal"};
    for (int i = 0; i < COUNT_OF(endings); i++) {
        snprintf(lock, sizeof lock, "%s%s", database, endings[i]);
        unlink(lock);
    }
    rmdir(folder);
    return status;
}

static int show_paper(const struct papers_args *args, const struct paper *paper)
{
    char title[160], source[80];
    struct study_comparison comparison;
    struct rk_error error;
    snprintf(title, sizeof title, "%s: %s [%s]", paper->name, paper->about, paper->key);
    snprintf(source, sizeof source, "reckon papers %s", paper->name);
    const enum rk_status status = compare(paper, args->run, &comparison, &error);
    const int code = status == RK_OK
                         ? compare_show(&comparison, title, source, args->show.format, args->output)
                         : options_fail(&error);
    study_comparison_release(&comparison);
    return code;
}

/* ---- all of them ---- */

static void fill_list(struct report *report)
{
    static const struct report_column columns[] = {
        {.name = "paper"}, {.name = "about"}, {.name = "key"}, {.name = "command"}};
    struct report_table *table = REPORT_LIST(report, "papers", NULL, REPORT_IN_ALL, columns);
    for (int i = 0; i < PAPERS; i++)
        REPORT_ROW(report, table, cell_text(papers[i].name), cell_text(papers[i].about),
                   cell_text(papers[i].key),
                   cell_text(report_text(report, "reckon papers %s", papers[i].name)));
    report_note(report, "");
    report_note(report,
                "`reckon papers all` runs each and prints its score. Keys: docs/references.bib.");
}

/* The cell of the table `score`, a row that each script ends with; none where it has no such table.
 */
static struct report_cell score_of(const struct study_comparison *comparison, const char *column)
{
    for (size_t i = 0; i < comparison->items; i++) {
        const struct comparison_item *item = &comparison->item[i];
        if (item->kind != COMPARISON_TABLE || strcmp(item->name, "score") != 0 || !item->rows)
            continue;
        for (int c = 0; c < item->columns; c++)
            if (strcmp(item->column[c], column) == 0 && item->value[c].type == STUDY_INTEGER)
                return cell_count((uint64_t)item->value[c].integer);
    }
    return cell_none();
}

static double processor_s(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static int show_all(const struct papers_args *args)
{
    static const struct report_column columns[] = {
        {.name = "paper"},     {.name = "statements"},
        {.name = "hold"},      {.name = "do_not"},
        {.name = "unknown"},   {.name = "values"},
        {.name = "given"},     {.name = "judged"},
        {.name = "within_10"}, {.name = "processor_s", .unit = "s", .digits = 2}};
    struct report report = {.first = NULL};
    struct report_table *table = REPORT_LIST(&report, "papers", NULL, REPORT_IN_ALL, columns);
    struct rk_error error;
    int code = RK_OK;
    for (int i = 0; i < PAPERS; i++) {
        struct study_comparison comparison;
        const double begin_s = processor_s();
        const enum rk_status status = compare(&papers[i], args->run, &comparison, &error);
        if (status != RK_OK) code = options_fail(&error);
        if (comparison.broken && code == RK_OK) code = RK_CHECK_FAILED;
        REPORT_ROW(&report, table, cell_text(papers[i].name), cell_count(comparison.checks),
                   cell_count(comparison.hold),
                   cell_count(comparison.checks - comparison.hold - comparison.unknown),
                   cell_count(comparison.unknown), score_of(&comparison, "published"),
                   score_of(&comparison, "given"), score_of(&comparison, "judged"),
                   score_of(&comparison, "within_10_percent"),
                   cell_number(processor_s() - begin_s));
        study_comparison_release(&comparison);
    }
    return show_end(&report, &args->show, args->output, RK_OK, code, NULL);
}

int cmd_papers(int argc, char **argv)
{
    struct papers_args args = {.show = {.colour = COLOUR_AUTO}};
    struct report report = {.first = NULL};
    struct rk_error error;
    const int done = options_read(&papers_usage, argc, argv, &args);
    if (done >= 0) return done;
    if (args.name && strcmp(args.name, "all") == 0) return show_all(&args);
    if (args.name) {
        const struct paper *paper = find_paper(args.name, &error);
        return paper ? show_paper(&args, paper) : options_fail(&error);
    }
    fill_list(&report);
    return show_end(&report, &args.show, args.output, RK_OK, RK_OK, NULL);
}
