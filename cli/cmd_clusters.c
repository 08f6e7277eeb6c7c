/* reckon clusters: the best plan over several clusters. */
#include "advise/clusters_state.h"
#include "advise/clusters_where.h"
#include "base/memory.h"
#include "base/units.h"
#include "cli/clusters_ask.h"
#include "cli/clusters_grid.h"
#include "cli/clusters_map.h"
#include "cli/clusters_ranks.h"
#include "cli/clusters_tables.h"
#include "cli/commands.h"
#include "cli/pages.h"
#include "cli/plan_input.h"
#include "cli/progress.h"
#include "cli/questions.h"
#include "cli/save.h"
#include "cli/show.h"
#include "cli/state_file.h"
#include "clusters/predict.h"
#include "facts/headroom.h"
#include "text/output.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

struct clusters_args {
    struct clusters_source source;
    const char *output, *ranks, *save, *script, *draw, *page, *where, *headroom, *state;
    int ranks_format;
    bool sensitivity, launchable, quiet;
    struct clusters_also also;
    struct run_args run;
    struct show_args show;
};

enum { MOST_TOP = 100 };

#define AT(member) .offset = offsetof(struct clusters_args, member)

/* clang-format off */
static const struct operand clusters_operands[] = {
    {.name = "PLAN", .help = "words of a plan that all stages keep, as fp16, tp8, recompute=full; not its other degrees",
     AT(source.words), .optional = OPERAND_MANY, .complete = "plan"},
    {.name = NULL},
};
static const struct option clusters_options[] = {
    {.letter = 'k', .name = "top", .type = OPTION_NUMBER, AT(also.top), .argument = "K", .min = 1, .max = MOST_TOP,
     .help = "also a list of the best K of the plans that were simulated, each once: the first is the answer; plans that bounds left out unseen may lie between the others"},
    {.name = "save-plan", .type = OPTION_OUTPUT, .argument = "FILE", AT(save), .complete = "file",
     .help = "write the plan that was found, for --plan"},
    {.name = "save-script", .type = OPTION_OUTPUT, .argument = "FILE", AT(script), .complete = "file",
     .help = "write the script that launches it, on the hosts of --ranks: of stages that are alike but for their layers"},
    {.name = "state", .type = OPTION_OUTPUT, .argument = "FILE", AT(state), .complete = "file",
     .help = "keep how far the search is in FILE and, when FILE is there, go on from it; removed when all is done"},
    {.name = "where", .type = OPTION_TEXT, .argument = "CONDITION", AT(where),
     .help = "only plans each of whose stages satisfies it, such as 'hbm <= 60GiB and tp <= 4', as reckon search --help has conditions: axes and bytes are the stage's; step, rate, tokens_per_s and mfu the plan's"},
    OPTION_HEADROOM_ROW(AT(headroom)),
    {.name = "launchable", .type = OPTION_FLAG, AT(launchable),
     .help = "only plans that Megatron-LM launches as one job: 1F1B, and all stages alike but for their layers; without it the first lines name the best of these beside the best of all"},
    {.letter = 'q', .name = "quiet", .type = OPTION_FLAG, AT(quiet),
     .help = "say nothing on standard error unless something is wrong"},
    {.name = "links", .type = OPTION_FLAG, AT(also.links),
     .help = "also what other bandwidths of each link would do: searches again for each"},
    {.name = "why", .type = OPTION_FLAG, AT(also.why),
     .help = "also what it would cost if every stage had the same tensor degree, or recomputed the same, or embeddings were not tied"},
    {.name = "sensitivity", .type = OPTION_FLAG, AT(sensitivity),
     .help = "also how the best step depends on each number of each cluster and link: each 10 % more and less, and all searched again"},
    {.name = "pareto", .type = OPTION_FLAG, AT(also.pareto),
     .help = "also time against price: the best plans on a quarter, half, ... of each cluster's nodes that no other is both faster and cheaper than; needs price= of each cluster"},
    {.name = "ranks", .type = OPTION_OUTPUT, .argument = "FILE", AT(ranks), .complete = "file",
     .help = "write where each rank of the plan runs; hosts are NAME-NODE of the cluster's name and the node's number"},
    {.name = "ranks-format", .type = OPTION_CHOICE, .argument = "FORMAT", AT(ranks_format), .choices = ranks_format_names,
     .help = "mpi: Open MPI's rankfile, which binds rank i of a host to its core i; hostfile: hosts and slots, for Open MPI and DeepSpeed; mpich: hosts for mpiexec -f; slurm: a SLURM_HOSTFILE for --distribution=arbitrary; torchrun: a command for each host; nccl: groups, their members and the network each takes, as JSON (mpi)"},
    {.name = "draw", .type = OPTION_OUTPUT, .argument = "FILE.html", AT(draw), .complete = "file",
     .help = "draw where each rank is: devices in nodes, racks (below one leaf) and clusters, coloured by stage, numbered by replica, tensor groups framed, and what a step sends over each boundary; a page, whose button saves it as SVG"},
    {.name = "page", .type = OPTION_OUTPUT, .argument = "FILE.html", AT(page), .complete = "file",
     .help = "write the answer as one page to look at, with that map: reckon report with such a system does the same"},
    OPTION_OUTPUT_ROW(AT(output)),
    {.name = NULL},
};

const struct usage clusters_usage = {
    .name = "clusters",
    .summary = "the best plan over several clusters",
    .synopsis = "-m MODEL -s SYSTEM -b N [options] [PLAN]...",
    .description =
        "Searches plans whose pipeline runs through several clusters of unequal GPUs or networks: which clusters, in which order, "
        "how many layers and nodes each stage gets, its tensor, context, expert and data degrees, what is computed again and what offloaded, how many samples "
        "go through at a time; nodes may be left idle, and so may a cluster. Tensor, context, data and expert groups stay in a stage, and a stage "
        "in a cluster; a cluster's stages follow each other.\n\n"
        "The search is exact for its objective, sum of c + (m - 1) max c + what is waited for at the end, and says so: no plan "
        "has less. The event simulation then decides between the plans that were the best for some pace; the gap is printed. "
        "The schedule is 1F1B unless words say gpipe or zero-bubble, of which the simulation decides. Unless words say otherwise, ZeRO-1 with overlap, sequence parallelism, and messages "
        "between stages that tensor ranks share.\n\n"
        "Exit status 0: there is a plan; 1: nothing fits.\n\n"
        "A plan file is an object with \"round\", the samples that all replicas of a stage take at a time, perhaps \"batch\", words that all "
        "stages keep as \"plan\", and \"stages\", a list of objects: \"layers\", \"cluster\", and the stage's own degrees and choices "
        "as \"words\", \"tp8 cp2 dp4 ep8 recompute=full offload-activations=0.5\". A stage whose replicas are of several kinds has "
        "\"parts\" instead, a list of clusters and words; the samples of a round are shared by speed, or with \"shares\": \"equal\" alike. "
        "With interleaved stages \"layers\" is a list, a run for each chunk: [10, 8]. reckon predict takes such files, too; so do "
        "timeline, fits, diff, check, program and report.",
    .operands = clusters_operands,
    .words_title = "Words of a plan",
    .words = plan_words,
    .groups = {
        {"Input", clusters_source_options, offsetof(struct clusters_args, source)},
        {"Answer", clusters_options, 0},
        {"The run", run_options, offsetof(struct clusters_args, run)},
        {"Form", show_options, offsetof(struct clusters_args, show)},
        {"General", options_help_rows, 0},
    },
    .examples = {
        {"reckon clusters -m llama3.1-70b -b 256 -s \"h100-sxm5-80g x64 + a100-sxm4-80g x64 link=100Gb/s@50us\"",
         "Is the second cluster worth it?"},
        {"reckon clusters -m llama3.1-70b -b 256 -s \"h100-sxm5-80g x64 + a100-sxm4-80g x64 link=100Gb/s@50us\" --links",
         "... and a faster link?"},
        {"reckon clusters -m llama3.1-70b -b 256 -s \"h100-sxm5-80g x64 + a100-sxm4-80g x{16,32,64} link={25Gb/s,100Gb/s}@50us\"",
         "... and how much of it, over which link?"},
    },
    .see_also = "reckon-search(1), reckon-plan(5), reckon-system(5)",
    .wider = &search_usage,
    .with = "several clusters",
};
/* clang-format on */

/* ---- the command ---- */

/* What the command works on. */
struct asking {
    const struct clusters_args *args;
    struct clusters_input input;
    struct answered *answered; /* the answer as any plan */
    struct report report;
    struct clusters_where *where; /* NULL: all plans count */
    struct progress progress;
    struct state_file file;
    struct clusters_state state;
};

/* What the question asks of plans beside its words. */
static enum rk_status restrict_plans(struct asking *a, struct rk_error *error)
{
    enum rk_status status = clusters_input_leave(&a->input, a->args->headroom, error);
    a->input.question.alike = a->args->launchable     ? CLUSTERS_ALIKE_ONLY
                              : !a->args->source.plan ? CLUSTERS_ALIKE_ALSO
                                                      : CLUSTERS_ANY;
    if (status == RK_OK && a->args->where)
        status = clusters_where_open(&a->where, &a->input, a->args->where, error);
    return status;
}

static bool is_stopped(void *context)
{
    (void)context;
    return progress_stopped();
}

/* From here on the search can be stopped, and goes on from what was kept. */
static enum rk_status open_state(struct asking *a, struct rk_error *error)
{
    const char *path = a->args->state;
    progress_start(&a->progress, "problems");
    a->progress.draw &= !a->args->quiet;
    a->input.question.stopped = is_stopped;
    if (!path) return RK_OK;
    enum rk_status status = state_file_open(&a->file, path, true, error);
    if (status == RK_OK && a->file.finished)
        return rk_fail(error, RK_BAD_INPUT, path, 0, 0,
                       "state of a search of one cluster: name another file or remove this one");
    a->state.keep = state_file_keep;
    a->state.keeper = &a->file;
    if (status == RK_OK)
        status = clusters_state_open(&a->state, &a->input, a->args->where, a->file.progress,
                                     a->file.progress_bytes, error);
    if (status == RK_BAD_INPUT) snprintf(error->path, sizeof error->path, "%s", path);
    return status;
}

static void close_state(struct asking *a, int code)
{
    const bool done = code == RK_OK || code == RK_NOTHING_FITS;
    if (a->args->state && done) state_file_remove(&a->file);
    if (a->args->state) state_file_close(&a->file);
    clusters_state_close(&a->state);
}

static enum rk_status usage_fail(struct rk_error *error, const char *text)
{
    return rk_fail(error, RK_BAD_ARGUMENT, NULL, 0, 0, "%s", text);
}

/* False: too long. */
static bool join_words(const struct option_texts *words, char *text, size_t size)
{
    size_t used = 0;
    *text = '\0';
    for (int i = 0; i < words->count && used < size; i++)
        used += (size_t)snprintf(text + used, size - used, "%s%s", i ? " " : "", words->text[i]);
    return used < size;
}

/* Why the groups of its ranks cannot be written; NULL: they can. */
static const char *irregular_ranks(const struct asking *a)
{
    const struct clusters_plan *plan = &a->input.answer->best;
    for (int i = 0; i < plan->stages; i++) {
        if (!plan->stage[i].homes) continue;
        if (!plan->stage[i].regular)
            return "ranks: replicas of a stage have different tensor or context degrees, whose "
                   "shards no group of ranks can reduce";
        if (!plan->stage[i].even && plan->stages > 1 && a->args->ranks &&
            a->args->ranks_format == RANKS_NCCL)
            return "ranks: replicas of a stage have different shares of the samples: messages are "
                   "listed with \"shares\": \"equal\" in the plan";
    }
    return NULL;
}

static enum rk_status write_page(const struct asking *a, struct rk_error *error)
{
    const struct clusters_args *args = a->args;
    const struct page_names names = {args->source.model, args->source.system, args->source.plan,
                                     NULL, false};
    snprintf(a->answered->system.id, sizeof a->answered->system.id, "%s", args->source.system);
    return page_of_plan(args->page, &a->answered->forecast, &names, &args->run, error);
}

static enum rk_status write_files(const struct asking *a, struct rk_error *error)
{
    char words[1024];
    const struct clusters_args *args = a->args;
    const struct clusters_input *in = &a->input;
    enum rk_status status = RK_OK;
    if (!join_words(&args->source.words, words, sizeof words) && args->save)
        return usage_fail(error, "--save-plan: more words than a plan file takes, 1023 characters");
    const char *irregular = args->ranks || args->draw ? irregular_ranks(a) : NULL;
    if (irregular) return usage_fail(error, irregular);
    struct rk_plan plain;
    if (args->script && !plan_plain(&a->answered->plan, &plain))
        return usage_fail(
            error, "--save-script: the plan's stages differ in more than their layers, which "
                   "Megatron-LM does not run: --launchable finds the best whose stages "
                   "are alike");
    const struct save_args launched = {.script = args->script};
    if (args->script) status = save_files(&launched, &in->model, &plain, error);
    if (status != RK_OK) return status;
    if (args->save)
        status = clusters_file_write(args->save, &in->question, &in->answer->best, words, error);
    if (status == RK_OK && args->ranks)
        status = clusters_ranks_write(args->ranks, (enum ranks_format)args->ranks_format,
                                      in->question.model, &in->answer->best, &in->machine, error);
    if (status == RK_OK && args->page) status = write_page(a, error);
    if (status == RK_OK && args->draw)
        status = clusters_draw(args->draw, &in->answer->best, &in->machine, error);
    return status;
}

/* The first line: what was asked, and by which model the answer is. */
static void note_question(struct asking *a)
{
    const struct clusters_question *q = &a->input.question;
    const int clusters = a->input.machine.clusters;
    const uint64_t sequence = q->words.sequence ? q->words.sequence : q->model->sequence;
    report_note(&a->report, report_text(&a->report,
                                        "%s over %d cluster%s, batch %" PRIu64 " of %" PRIu64
                                        " tokens, by the model of today's plans",
                                        q->model->id, clusters, clusters == 1 ? "" : "s",
                                        q->words.batch, sequence));
}

static void note_launch(struct asking *a)
{
    struct rk_plan plain;
    char words[1024];
    if (clusters_unlaunchable(&a->answered->plan, &plain)) return;
    rk_plan_text(&plain, words, sizeof words);
    report_note(&a->report, report_text(&a->report,
                                        "to launch it, on the hosts of --ranks: reckon export "
                                        "megatron -m %s %s",
                                        shell_word(&a->report, a->args->source.model), words));
}

/* Does it say the batch, which the search has as --batch? */
static bool says_batch(const char *word)
{
    return strncmp(word, "gbs", 3) == 0 || strncmp(word, "batch", 5) == 0;
}

/* A flag of a proposed command; nothing without a value. */
static const char *flag_text(struct report *report, const char *flag, const char *value)
{
    return value ? report_text(report, " %s %s", flag, shell_word(report, value)) : "";
}

/* Of one cluster the search over clusters knows fewer plans than the search. */
static void note_search(struct asking *a)
{
    const struct clusters_args *args = a->args;
    struct report *report = &a->report;
    if (a->input.machine.clusters > 1 || args->source.plan) return;
    const char *command = report_text(
        report, "reckon search%s%s -g %" PRIu64 " -b %" PRIu64 "%s%s",
        flag_text(report, "-m", args->source.model), flag_text(report, "-s", args->source.system),
        a->input.machine.cluster[0].system.devices, a->input.question.words.batch,
        flag_text(report, "--where", args->where), flag_text(report, "--headroom", args->headroom));
    for (int i = 0; i < args->source.words.count; i++)
        if (!says_batch(args->source.words.text[i]))
            command = report_text(report, "%s %s", command,
                                  shell_word(report, args->source.words.text[i]));
    report_note(report, report_text(report,
                                    "this is one cluster, of which reckon search tries more plans "
                                    "(ZeRO 2 and 3, all overlaps): %s",
                                    command));
}

/* Links whose latency nobody gave, or gave as nothing. */
static void note_latency(struct asking *a)
{
    const struct rk_machine *m = &a->input.machine;
    for (int i = 0; i < m->clusters; i++)
        for (int j = 0; j < i; j++)
            if (!(m->link[i][j].latency_s > 0)) {
                report_note(&a->report, "assumed: messages between clusters have no latency where "
                                        "their link names none; say it behind the rate, "
                                        "link=100Gb/s@50us");
                return;
            }
}

/* What does not go together. */
static enum rk_status check_flags(const struct asking *a, struct rk_error *error)
{
    const struct clusters_args *args = a->args;
    const struct rk_machine *machine = &a->input.machine;
    if (args->source.plan && args->save)
        return usage_fail(error, "--plan and --save-plan: a plan is given or found, not both");
    if (args->source.plan &&
        (args->also.links || args->also.why || args->also.pareto || args->also.top))
        return usage_fail(error, "--plan and --links, --why, --pareto or --top: these search, "
                                 "leave --plan out");
    if (args->source.plan &&
        (args->where || args->headroom || args->launchable || args->sensitivity || args->state))
        return usage_fail(error, "--plan and --where, --headroom, --launchable, --sensitivity or "
                                 "--state: these choose among plans, leave --plan out");
    for (int i = 0; args->also.pareto && i < machine->clusters; i++)
        if (!(machine->cluster[i].price_USDph > 0))
            return usage_fail(error,
                              "--pareto: every cluster needs its price, as price=2.5 (USD for "
                              "an accelerator and hour)");
    return RK_OK;
}

/* Standard output has one of the files, and the answer goes nowhere else. */
static bool only_a_file(const struct clusters_args *args)
{
    const char *const paths[] = {args->save, args->script, args->ranks, args->draw, args->page};
    bool some = false;
    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++)
        some |= output_is_stdout(paths[i]);
    return some && !args->output;
}

/* Nothing is proved yet; what is there says the state. */
static int interrupted(const struct asking *a)
{
    fprintf(stderr, "reckon: interrupted: %s\n",
            a->args->state ? "the same command goes on from here"
                           : "with --state FILE the same command would go on from here");
    return RK_INTERRUPTED;
}

static int answer_question(struct asking *a)
{
    struct rk_error error;
    struct clusters_input *in = &a->input;
    bool full;
    enum rk_status status = clusters_input_roomy(in, false, &full, &error);
    if (a->file.error.status != RK_OK) error = a->file.error, status = error.status;
    if (a->state.failed) status = no_memory(&error);
    if (status == RK_OK) note_question(a);
    if (status == RK_OK && full)
        report_note(&a->report,
                    "no plan leaves the headroom of the memory: this is the best that fits");
    if (status == RK_OK &&
        !(a->answered = answered_open(&in->question, &in->answer->best, in->given, &error)))
        status = error.status;
    if (status == RK_OK) clusters_note_launchable(&a->report, in, a->answered);
    if (in->question.alike == CLUSTERS_ALIKE_ALSO) in->question.alike = CLUSTERS_ANY; /* again */
    if (status == RK_OK &&
        !clusters_show(&a->report, &in->question, in->answer, in->given, &in->kept, &a->args->also))
        status = no_memory(&error);
    if (status == RK_OK && a->args->sensitivity)
        status = print_clusters_sensitivity(&a->report, &in->question, in->answer->best.simulated_s,
                                            &error);
    if (status == RK_OK && a->args->run.tokens)
        status = run_section(&a->report, &a->args->run, &a->answered->forecast, NULL, NULL, &error);
    else if (status == RK_OK)
        status = run_check(&a->args->run, &error);
    if (status == RK_OK) status = write_files(a, &error);
    if (status == RK_OK && a->where && clusters_where_is_late(a->where))
        report_note(&a->report, "what the condition says of the step was asked of the plans that "
                                "were simulated: one that no bound led to may satisfy it, too, "
                                "and bounds and the objectives of other choices are of all plans");
    if (status == RK_OK) note_launch(a);
    if (status == RK_OK) note_search(a);
    if (status == RK_OK) note_latency(a);
    const bool stopped = progress_end(&a->progress);
    const int code = status == RK_INTERRUPTED || (stopped && status == RK_OK) ? interrupted(a)
                     : status == RK_OK && only_a_file(a->args)                ? RK_OK
                     : status == RK_OK
                         ? show_report(&a->report, &a->args->show, a->args->output, RK_OK)
                         : options_fail(&error);
    report_release(&a->report);
    return code;
}

/* Many machines, each with a row. */
static int ask_grid(const struct clusters_args *args)
{
    struct report report = {.first = NULL};
    struct rk_error error;
    enum rk_status status = RK_OK;
    if (args->save || args->script || args->ranks || args->draw || args->page || args->run.tokens ||
        args->also.links || args->also.why || args->also.pareto || args->also.top || args->where ||
        args->sensitivity || args->launchable || args->headroom || args->state)
        status = usage_fail(&error, "a machine with {lists}, or a list of batches, is many: what "
                                    "is written or asked of one plan needs one machine and batch");
    if (status == RK_OK) status = run_check(&args->run, &error);
    if (status == RK_OK) status = clusters_grid(&report, &args->source, &error);
    const int code = status == RK_OK ? show_report(&report, &args->show, args->output, RK_OK)
                                     : options_fail(&error);
    report_release(&report);
    return code;
}

static int ask(const struct clusters_args *args)
{
    if (clusters_grid_is(&args->source)) return ask_grid(args);
    struct rk_error error;
    struct asking asking = {.args = args};
    enum rk_status status = clusters_input_open(&asking.input, &args->source, &error);
    if (status == RK_OK) status = check_flags(&asking, &error);
    if (status == RK_OK) status = restrict_plans(&asking, &error);
    asking.input.kept.most = (int)args->also.top;
    if (status == RK_OK) status = open_state(&asking, &error);
    const int code = status == RK_OK ? answer_question(&asking) : options_fail(&error);
    progress_end(&asking.progress);
    close_state(&asking, code);
    free(asking.answered);
    clusters_where_close(asking.where);
    clusters_input_release(&asking.input);
    return code;
}

/* As options_read; `wider` is the command that was called. */
static int read_args(const struct usage *wider, int argc, char **argv, struct clusters_args *args)
{
    struct usage usage = clusters_usage;
    usage.wider = wider;
    *args = (struct clusters_args){.run = RUN_ARGS_INIT};
    plan_words_prepare();
    return options_read(&usage, argc, argv, args);
}

int cmd_clusters(int argc, char **argv)
{
    struct clusters_args args;
    const int done = read_args(&search_usage, argc, argv, &args);
    return done >= 0 ? done : ask(&args);
}

bool clusters_asked(const struct usage *usage, int argc, char **argv)
{
    const char *system = options_value(usage, argc, argv, "system");
    return system && rk_machine_is_several(system);
}
