/* reckon longest: the longest sequence that can be trained, for each number of GPUs. */
#include "base/limits.h"
#include "base/memory.h"
#include "base/units.h"
#include "catalog/hosts.h"
#include "cli/commands.h"
#include "cli/longest_tables.h"
#include "cli/page_longest.h"
#include "cli/plan_axes.h"
#include "cli/plan_input.h"
#include "cli/plan_operands.h"
#include "cli/prediction.h"
#include "cli/show.h"
#include "cli/verdict.h"
#include "machine/part.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_TOKENS = 1 << 30 };

struct longest_args {
    struct plan_source source;
    struct option_values gpus;
    uint64_t step;
    bool no_lengths;
    const char *output, *headroom;
    struct show_args show;
};

#define AT(member) .offset = offsetof(struct longest_args, member)

/* clang-format off */
static const struct operand longest_operands[] = {
    PLAN_OPERANDS(AT(source.model), AT(source.system)),
    {.name = "PLAN", .offset = offsetof(struct longest_args, source.words), .optional = OPERAND_MANY, .complete = "plan"},
    {.name = NULL},
};
static const struct option input_options[] = {
    {.letter = 'm', .name = "model", .type = OPTION_TEXT, .argument = "MODEL", AT(source.model), .complete = "models"},
    {.letter = 's', .name = "system", .type = OPTION_TEXT, .argument = "SYSTEM", AT(source.system), .complete = "systems"},
    {.letter = 'p', .name = "plan", .type = OPTION_TEXT, .argument = "FILE|WORDS", AT(source.file), .complete = "file"},
    {.name = NULL},
};
static const struct option longest_options[] = {
    {.letter = 'g', .name = "gpus", .type = OPTION_VALUES, AT(gpus), .argument = "N,N", .min = 1, .max = 65536},
    {.name = "step", .type = OPTION_NUMBER, AT(step), .argument = "TOKENS", .min = 1, .max = MOST_TOKENS},
    {.name = "no-lengths", .type = OPTION_FLAG, AT(no_lengths)},
    OPTION_HEADROOM_ROW(AT(headroom)),
    {.letter = 'o', .name = "output", .type = OPTION_TEXT, .argument = "FILE", AT(output), .complete = "file"},
    {.name = NULL},
};

const struct usage longest_usage = {
#include "help/longest.h"
    .operands = longest_operands,
    .words_title = "Words of a plan",
    .words = plan_words,
    .groups = {
        {"Input", input_options, 0},
        {"Lengths", longest_options, 0},
        {"Form", show_options, offsetof(struct longest_args, show)},
        {"General", options_help_rows, 0},
    },
};
/* clang-format on */

/* ---- the command ---- */

/* Numbers of GPUs, unless given all of the system, or 8: of a range, its powers of two. */
static enum rk_status gpus_of(const struct longest_args *args, const struct tables *t,
                              uint64_t gpus[MOST_GPU_COUNTS], int *count, struct rk_error *error)
{
    *count = 0;
    if (t->over) return gpus[(*count)++] = t->input->system.devices, RK_OK;
    for (int i = 0; i < args->gpus.count; i++) {
        const uint64_t low = args->gpus.range[i].low, high = args->gpus.range[i].high;
        const int before = *count;
        for (uint64_t n = low == high ? low : 1; n <= high; n *= 2) {
            if (n < low) continue;
            if (*count == MOST_GPU_COUNTS)
                return rk_fail(error, RK_BAD_ARGUMENT, NULL, 0, 0,
                               "--gpus: more than %d numbers of GPUs: ask in two parts",
                               MOST_GPU_COUNTS);
            gpus[(*count)++] = n;
        }
        if (*count == before)
            return rk_fail(error, RK_BAD_ARGUMENT, NULL, 0, 0,
                           "--gpus: no power of two lies between %" PRIu64 " and %" PRIu64
                           ", and a range stands for these: name the numbers, %" PRIu64 ",%" PRIu64,
                           low, high, low, low + 1);
    }
    const uint64_t all = host_gpus(&t->input->system);
    if (!*count) gpus[(*count)++] = all ? all : 8;
    return RK_OK;
}

/* ---- memory that is left free ---- */

static enum rk_status leave_room_over(struct tables *t, const char *headroom,
                                      struct rk_error *error)
{
    struct rk_plans_problem before = *t->over;
    const enum rk_status status = rk_headroom_of_clusters(headroom, t->over, error);
    if (memcmp(before.usable_bytes, t->over->usable_bytes, sizeof before.usable_bytes) != 0)
        rk_longest_forget(t->p);
    return status;
}

/* What every candidate is searched with. RK_BAD_ARGUMENT when stages cannot have what words say. */
static enum rk_status open_over(struct tables *t, const struct longest_args *args,
                                struct rk_error *error)
{
    const struct plan_input *input = t->input;
    if (args->gpus.count)
        return rk_fail(error, RK_BAD_ARGUMENT, NULL, 0, 0,
                       "--gpus does not go with several clusters: each says how many it has");
    struct rk_plans_problem *problem = t->over = malloc(sizeof *problem);
    if (!problem) return no_memory(error);
    rk_plans_problem_init(problem, &input->model, &input->system,
                          rk_usual_framework_of(&input->system, &input->draft.plan), 0,
                          RK_LONGEST_SAMPLES, t->p->step);
    enum rk_status status = plan_problem_take(&input->draft, problem, error);
    struct rk_space *space = status == RK_OK ? rk_plans_open(problem, error) : NULL;
    if (!space) return error->status;
    rk_space_close(space);
    t->p->over = problem;
    return RK_OK;
}

/* A kind's machine has as much memory as its plans may take. */
static enum rk_status leave_room(struct tables *t, const char *headroom,
                                 struct roomy_system roomy[RK_LONGEST_KINDS],
                                 struct rk_error *error)
{
    const struct plan_input *input = t->input;
    enum rk_status status = RK_OK;
    if (t->over) return leave_room_over(t, headroom, error);
    for (int kind = 0; kind < RK_LONGEST_KINDS && status == RK_OK; kind++) {
        struct rk_plan plan = t->p->words;
        double room = 1;
        plan.framework =
            rk_longest_framework((enum rk_longest_kind)kind, &input->system, &t->p->words);
        status = rk_headroom_share(headroom, &input->model, &input->system, &plan, &room, error);
        t->p->system[kind] = system_with_room(&roomy[kind], &input->system, room);
    }
    return status;
}

static void take_best(struct tables *t, struct found *f)
{
    const enum rk_longest_kind all = (enum rk_longest_kind)RK_LONGEST_KINDS;
    const uint64_t tokens = f->tokens[RK_LONGEST_KINDS];
    f->any = tokens && rk_longest_fastest(t->p, tokens, all, &f->plan, &f->outcome);
    f->limit = report_text(t->report, "%s", rk_longest_limit(t->p, tokens, all));
}

static enum rk_status find(struct tables *t, const struct longest_args *args, struct found *f,
                           struct roomy_system roomy[RK_LONGEST_KINDS], struct rk_error *error)
{
    t->p->gpus = f->gpus;
    enum rk_status status = leave_room(t, f->full ? "none" : args->headroom, roomy, error);
    if (status == RK_OK) status = rk_longest_list(t->p, error);
    if (status == RK_OK) rk_longest_find(t->p, f->tokens);
    if (status == RK_OK) take_best(t, f);
    if (status != RK_OK || f->full || f->tokens[RK_LONGEST_KINDS]) return status;
    f->full = true;
    return find(t, args, f, roomy, error);
}

/* "352K tokens on 8 GPUs, 832K on 16" */
static const char *lengths_text(struct report *report, const struct found *found, int count)
{
    char size[QUANTITY_TEXT];
    const char *text = "";
    for (int i = 0; i < count; i++)
        text = report_text(report, "%s%s%s%s on %" PRIu64 "%s", text, i ? ", " : "",
                           whole_format(size, found[i].tokens[RK_LONGEST_KINDS]),
                           i ? "" : " tokens", found[i].gpus, i ? "" : " GPUs");
    return text;
}

/* The verdict: the longest on each number of GPUs, and the plan of the last that has one. */
static void say_longest(struct tables *t, const struct found *found, int count)
{
    const struct found *last = NULL;
    struct rk_prediction prediction;
    char size[QUANTITY_TEXT];
    for (int i = 0; i < count; i++)
        if (found[i].any) last = &found[i];
    if (!last)
        return report_answer(t->report, REPORT_BAD,
                             report_text(t->report,
                                         "does not fit: %s tokens (limit: %s); --step N tries "
                                         "shorter samples",
                                         whole_format(size, t->p->step), found[count - 1].limit));
    const struct forecast f = {t->p->model, &t->input->system, &last->plan, &prediction, "", NULL};
    rk_predict(f.model, f.system, f.plan, &prediction);
    verdict_of(
        t->report,
        report_text(t->report, "longest sequence: %s; %s", lengths_text(t->report, found, count),
                    count > 1 ? report_text(t->report, "that of %" PRIu64 " ", last->gpus) : ""),
        &f);
}

/* How far the memory of the nodes would reach, which the system's line does not have. */
static enum rk_status note_host(struct tables *t, const struct longest_args *args,
                                struct roomy_system roomy[RK_LONGEST_KINDS],
                                const struct found *last, struct rk_error *error)
{
    const struct plan_input *alone = t->input;
    struct plan_input with = *alone;
    struct found found = {.gpus = last->gpus};
    struct host host;
    char note[HOST_WORD], word[HOST_WORD], size[QUANTITY_TEXT];
    if (t->over || !host_of(&alone->system, last->gpus, &host)) return RK_OK;
    enum rk_status status = host_load(&host, args->source.system, &with.system, error);
    if (status != RK_OK) return status;
    t->input = &with;
    status = find(t, args, &found, roomy, error);
    t->input = alone;
    rk_system_release(&with.system);
    if (status == RK_OK && found.tokens[RK_LONGEST_KINDS] > last->tokens[RK_LONGEST_KINDS])
        report_note(t->report, report_text(t->report,
                                           "with %s, assumed, %s tokens on %" PRIu64
                                           " GPUs: add %s to the system",
                                           host_note(&host, note),
                                           whole_format(size, found.tokens[RK_LONGEST_KINDS]),
                                           found.gpus, host_word(&host, word)));
    return status;
}

static void note_full(struct report *report, const struct found *found, int count)
{
    for (int i = 0; i < count; i++)
        if (found[i].full && found[i].tokens[RK_LONGEST_KINDS])
            report_note(report,
                        report_text(report,
                                    "%" PRIu64 " GPUs: no plan leaves the headroom of the memory: "
                                    "plans that fit without it are shown",
                                    found[i].gpus));
}

static enum rk_status answer(const struct longest_args *args, struct tables *t,
                             struct roomy_system roomy[RK_LONGEST_KINDS], bool *any,
                             struct rk_error *error)
{
    uint64_t gpus[MOST_GPU_COUNTS];
    struct found found[MOST_GPU_COUNTS];
    int count;
    enum rk_status status = gpus_of(args, t, gpus, &count, error);
    for (int i = 0; i < count && status == RK_OK; i++) {
        found[i] = (struct found){.gpus = gpus[i]};
        status = find(t, args, &found[i], roomy, error);
    }
    if (status != RK_OK) return status;
    say_longest(t, found, count);
    note_full(t->report, found, count);
    status = note_host(t, args, roomy, &found[count - 1], error);
    longest_open_tables(t);
    for (int i = 0; i < count && status == RK_OK; i++) {
        t->p->gpus = gpus[i];
        status = leave_room(t, found[i].full ? "none" : args->headroom, roomy, error);
        if (status == RK_OK) status = rk_longest_list(t->p, error);
        if (status != RK_OK) break;
        *any |= found[i].any;
        longest_add_longest(t, &found[i]);
        if (args->no_lengths) continue;
        longest_add_ends(t, found[i].tokens);
        longest_add_lengths(t, found[i].tokens);
    }
    if (!*any) verdict_alone(t->report);
    longest_hide_empty(t->ends);
    longest_hide_empty(t->lengths);
    longest_hide_empty(t->gains);
    return status;
}

/* Rejects words for members that candidates choose: they would be overridden silently. */
static enum rk_status check_words(const struct plan_draft *draft, struct rk_error *error)
{
    static const char *const chosen[] = {
#define ROW(key) key,
#include "tables/longest-words.h"
#undef ROW
    };
    for (size_t i = 0; i < sizeof chosen / sizeof *chosen; i++)
        if (plan_given(draft, chosen[i]))
            return rk_fail(error, RK_BAD_ARGUMENT, NULL, 0, 0,
                           "the words say %s, which reckon longest chooses itself (--gpus N are "
                           "its GPUs): leave it out; reckon offload and fits take one plan",
                           chosen[i]);
    if (draft->data)
        return rk_fail(error, RK_BAD_ARGUMENT, NULL, 0, 0,
                       "the words say data, which reckon longest chooses itself: leave it out");
    return RK_OK;
}

/* Tables, or a page that also draws them. */
static int show(const struct tables *t, const struct longest_args *args, bool any)
{
    struct rk_error error;
    const int code = any ? RK_OK : RK_NOTHING_FITS;
    if (!show_is_page(&args->show, args->output))
        return show_report(t->report, &args->show, args->output, code);
    const struct page_longest page = {.model = t->p->model,
                                      .system = &t->input->system,
                                      .model_name = args->source.model,
                                      .system_name = args->source.system,
                                      .report = t->report,
                                      .points = t->points,
                                      .code = code};
    return page_longest(&page, args->output, &error) == RK_OK ? code : options_fail(&error);
}

int cmd_longest(int argc, char **argv)
{
    struct longest_args args = {.source = {.several = true, .unsearched = true}, .step = 32768};
    struct plan_input input = {.assumed = ""};
    struct report report;
    struct rk_error error;
    bool any = false;
    plan_words_prepare();
    const int done = options_read(&longest_usage, argc, argv, &args);
    if (done >= 0) return done;
    report = show_begin(&args.show, args.output);
    struct rk_longest *p = calloc(1, sizeof *p);
    struct roomy_system *roomy = calloc(RK_LONGEST_KINDS, sizeof *roomy);
    struct tables tables = {.p = p, .input = &input, .report = &report};
    enum rk_status status =
        p && roomy ? plan_gather(&args.source, &input, &error) : no_memory(&error);
    if (status == RK_OK) status = check_words(&input.draft, &error);
    if (status == RK_OK) {
        p->model = &input.model;
        p->words = input.draft.plan;
        p->expert_given = plan_given(&input.draft, "expert");
        p->attention_given = plan_given(&input.draft, "attention");
        p->xla_given = plan_given(&input.draft, "xla");
        p->step = args.step;
        p->most = MOST_TOKENS;
        if (input.system.machine) status = open_over(&tables, &args, &error);
        if (status == RK_OK) status = answer(&args, &tables, roomy, &any, &error);
    }
    const int code = status == RK_OK ? show(&tables, &args, any) : options_fail(&error);
    report_release(&report);
    plan_input_release(&input);
    if (p) rk_longest_release(p);
    free(tables.over);
    free(roomy);
    free(p);
    return code;
}
