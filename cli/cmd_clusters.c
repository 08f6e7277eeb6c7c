/* reckon clusters: the best plan over several clusters. */
#include "base/units.h"
#include "cli/clusters_draw.h"
#include "cli/clusters_page.h"
#include "cli/clusters_plan.h"
#include "cli/clusters_ranks.h"
#include "cli/clusters_tables.h"
#include "cli/commands.h"
#include "cli/model_input.h"
#include "cli/plan_input.h"
#include "cli/show.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

struct clusters_args {
    const char *model, *system, *output, *ranks, *plan, *save, *draw, *page;
    int ranks_format;
    uint64_t batch;
    struct clusters_also also;
    struct option_texts words;
    struct show_args show;
};

#define AT(member) .offset = offsetof(struct clusters_args, member)

/* clang-format off */
static const struct operand clusters_operands[] = {
    {.name = "PLAN", .help = "words of a plan that all stages keep, as fp16, tp8, recompute=full; not its other degrees",
     AT(words), .optional = OPERAND_MANY, .complete = "plan"},
    {.name = NULL},
};
static const struct option clusters_options[] = {
    {.letter = 'm', .name = "model", .type = OPTION_TEXT, AT(model), .argument = "MODEL", .complete = "models",
     .help = "what is trained: an id of `reckon models` or a file"},
    {.letter = 's', .name = "system", .type = OPTION_TEXT, AT(system), .argument = "SYSTEM", .complete = "systems",
     .help = "clusters with + between them and link=RATE@LATENCY, or a file of them; reckon-system(5)"},
    {.letter = 'b', .name = "batch", .type = OPTION_NUMBER, AT(batch), .argument = "N", .min = 1, .max = 1 << 20,
     .help = "samples of a step"},
    {.letter = 'p', .name = "plan", .type = OPTION_TEXT, .argument = "FILE", AT(plan), .complete = "file",
     .help = "predict this plan instead of searching: a file of --save-plan, or by hand, as PLAN FILES says"},
    {.name = "save-plan", .type = OPTION_OUTPUT, .argument = "FILE", AT(save), .complete = "file",
     .help = "write the plan that was found, for --plan"},
    {.name = "links", .type = OPTION_FLAG, AT(also.links),
     .help = "also what other bandwidths of each link would do: searches again for each"},
    {.name = "why", .type = OPTION_FLAG, AT(also.why),
     .help = "also what it would cost if every stage had the same tensor degree, or recomputed the same, or embeddings were not tied"},
    {.name = "pareto", .type = OPTION_FLAG, AT(also.pareto),
     .help = "also time against price: the best plans on a quarter, half, ... of each cluster's nodes that no other is both faster and cheaper than; needs price= of each cluster"},
    {.name = "ranks", .type = OPTION_OUTPUT, .argument = "FILE", AT(ranks), .complete = "file",
     .help = "write where each rank of the plan runs; hosts are NAME-NODE of the cluster's name and the node's number"},
    {.name = "ranks-format", .type = OPTION_CHOICE, .argument = "FORMAT", AT(ranks_format), .choices = ranks_format_names,
     .help = "mpi: Open MPI's rankfile; slurm: a SLURM_HOSTFILE for --distribution=arbitrary; torchrun: a command for each host; nccl: groups, their members and the network each takes, as JSON (mpi)"},
    {.name = "draw", .type = OPTION_OUTPUT, .argument = "FILE.svg", AT(draw), .complete = "file",
     .help = "draw where each rank is: devices in nodes, racks (below one leaf) and clusters, coloured by stage and replica, tensor groups framed, and what a step sends over each boundary"},
    {.name = "page", .type = OPTION_OUTPUT, .argument = "FILE.html", AT(page), .complete = "file",
     .help = "write all of it as one page to look at, with that drawing; reckon report with such a system does the same"},
    {.letter = 'o', .name = "output", .type = OPTION_OUTPUT, .argument = "FILE", AT(output), .complete = "file",
     .help = "write to FILE instead of standard output (-); it appears whole or not at all"},
    {.name = NULL},
};

const struct usage clusters_usage = {
    .name = "clusters",
    .summary = "the best plan over several clusters",
    .synopsis = "-m MODEL -s SYSTEM -b N [options] [PLAN]...",
    .description =
        "Searches plans whose pipeline runs through several clusters of unequal GPUs or networks: which clusters, in which order, "
        "how many layers and nodes each stage gets, its tensor, context, expert and data degrees, what is computed again, how many samples "
        "go through at a time; nodes may be left idle, and so may a cluster. Tensor, context, data and expert groups stay in a stage, and a stage "
        "in a cluster; a cluster's stages follow each other.\n\n"
        "The search is exact for its objective, sum of c + (m - 1) max c + what is waited for at the end, and says so: no plan "
        "has less. The event simulation then decides between the plans that were the best for some pace; the gap is printed. "
        "The schedule is 1F1B. Unless words say otherwise, ZeRO-1 with overlap, sequence parallelism, and messages "
        "between stages that tensor ranks share.\n\n"
        "Exit status 0: there is a plan; 1: nothing fits.\n\n"
        "A plan file is an object with \"round\", the samples that all replicas of a stage take at a time, perhaps \"batch\", words that all "
        "stages keep as \"plan\", and \"stages\", a list of objects: \"layers\", \"cluster\", and the stage's own degrees and choices "
        "as \"words\", \"tp8 cp2 dp4 ep8 recompute=full offload-activations=0.5\". A stage whose replicas are of several kinds has "
        "\"parts\" instead, a list of clusters and words; the samples of a round are shared by speed. reckon predict takes such files, too.",
    .operands = clusters_operands,
    .words_title = "Words of a plan",
    .words = plan_words,
    .groups = {
        {"Input", clusters_options, 0},
        {"Form", show_options, offsetof(struct clusters_args, show)},
        {"General", options_help_rows, 0},
    },
    .examples = {
        {"reckon clusters -m llama3.1-70b -b 256 -s \"h100-sxm5-80g x64 + a100-sxm4-80g x64 link=100Gb/s@50us\"",
         "Is the second cluster worth it?"},
        {"reckon clusters -m llama3.1-70b -b 256 -s \"h100-sxm5-80g x64 + a100-sxm4-80g x64 link=100Gb/s@50us\" --links",
         "... and a faster link?"},
    },
    .see_also = "reckon-search(1), reckon-plan(5), reckon-system(5)",
    .wider = &search_usage,
    .with = "several clusters",
};
/* clang-format on */

/* ---- the question ---- */

static enum rk_status usage_fail(struct rk_error *error, const char *text)
{
    return rk_fail(error, RK_USAGE, NULL, 0, 0, "%s", text);
}

/* Degrees that the search chooses, and what it does not cover. */
static enum rk_status check_words(const struct plan_draft *draft, struct rk_error *error)
{
    static const char *const chosen[] = {"pipeline",   "gpus",         "data",
                                         "chunks",     "split",        "stages",
                                         "microbatch", "first_layers", "last_layers"};
    for (size_t i = 0; i < sizeof chosen / sizeof *chosen; i++)
        if (plan_given(draft, chosen[i]))
            return rk_fail(error, RK_USAGE, NULL, 0, 0,
                           "%s is chosen for each stage here: leave it out", chosen[i]);
    if (draft->plan.schedule != RK_1F1B)
        return usage_fail(error, "schedule: several clusters run 1f1b, no other schedule yet");
    if (draft->plan.framework == RK_CALCULON)
        return usage_fail(error, "framework: the published model knows one cluster alone");
    return RK_OK;
}

/* A tensor group stays in a node of some cluster, and shares the model's heads. */
static enum rk_status check_tensor(const struct rk_plan *plan, const struct rk_machine *machine,
                                   struct rk_error *error)
{
    uint64_t nearest = 1;
    for (int i = 0; i < machine->clusters; i++) {
        const uint64_t node = rk_cluster_node(&machine->cluster[i]);
        if (node % plan->tensor == 0) return RK_OK;
        for (uint64_t t = 1; t <= node && t < plan->tensor; t++)
            if (node % t == 0 && t > nearest) nearest = t;
    }
    return rk_fail(error, RK_USAGE, NULL, 0, 0,
                   "tp%" PRIu64 " divides the node of no cluster: tp%" PRIu64
                   " is the nearest below that does",
                   plan->tensor, nearest);
}

static enum rk_status settle(const struct clusters_args *args, struct plan_draft *draft,
                             struct rk_machine *machine, struct rk_error *error)
{
    struct rk_plan *plan = &draft->plan;
    const enum rk_status status = check_words(draft, error);
    if (status != RK_OK) return status;
    if (args->batch && draft->words[plan_row("batch")] && plan->batch != args->batch)
        return rk_fail(error, RK_USAGE, NULL, 0, 0,
                       "--batch %" PRIu64 " and gbs%" PRIu64 ": leave one of them out", args->batch,
                       plan->batch);
    if (args->batch) plan->batch = args->batch;
    if (!args->batch && !plan_given(draft, "batch"))
        return usage_fail(error, "how many samples has a step? add --batch 256");
    if (!plan_given(draft, "zero")) plan->zero = 1;
    if (!plan_given(draft, "gradient_overlap")) plan->gradient_overlap = true;
    if (!plan_given(draft, "weight_overlap")) plan->weight_overlap = true;
    if (!plan_given(draft, "sequence_parallel")) plan->sequence_parallel = true;
    if (!plan_given(draft, "messages_sharded")) plan->messages_sharded = true;
    if (!plan_given(draft, "precision"))
        plan->precision = rk_usual_precision(&machine->cluster[0].system);
    plan_settle_attention(draft);
    if (machine->clusters == 1 && !machine->cluster[0].system.devices)
        return usage_fail(error, "how many accelerators has the cluster? add x256 to the system");
    return check_tensor(plan, machine, error);
}

/* ---- the command ---- */

/* What the command works on. */
struct asking {
    const struct clusters_args *args;
    struct clusters_question question;
    struct clusters_answer *answer;
    struct given_plan *given; /* NULL: searched for */
    struct clusters_file file;
    struct report report;
    bool quiet; /* the page alone */
};

/* A cluster on which nothing fits is a mistake rather than an idle one. */
static enum rk_status check_usable(const struct asking *a, struct rk_error *error)
{
    const struct rk_machine *machine = a->question.machine;
    for (int i = 0; i < machine->clusters; i++)
        if (!a->answer->usable[i])
            return rk_fail(
                error, RK_NOTHING_FITS, NULL, 0, 0,
                "cluster %s, %s, can be used by no stage: not even one layer fits; leave "
                "it out, or give words such as zero3 or recompute=full",
                machine->cluster[i].name, machine->cluster[i].system.id);
    return RK_OK;
}

static enum rk_status search_plan(struct asking *a, struct rk_error *error)
{
    if (!clusters_search(&a->question, a->answer))
        return rk_fail(error, RK_IO, NULL, 0, 0, "no memory for the search");
    if (!isinf(a->answer->best.value_s)) return check_usable(a, error);
    return rk_fail(
        error, RK_NOTHING_FITS, NULL, 0, 0,
        "no plan fits: each stage holds at least one layer, with everything computed again; "
        "add nodes, or words such as zero3, ep8, cp2");
}

static enum rk_status judge_plan(struct asking *a, struct rk_error *error)
{
    struct given_fault fault;
    char need[QUANTITY_TEXT], have[QUANTITY_TEXT];
    const struct rk_machine *machine = a->question.machine;
    if (!given_judge(&a->question, a->given, &a->answer->best, &fault))
        return rk_fail(error, RK_IO, NULL, 0, 0, "no memory for the prediction");
    const struct rk_reason *reason = &fault.reason;
    if (reason->verdict == RK_FITS) return RK_OK;
    const bool memory = reason->verdict == RK_MEMORY_EXCEEDED;
    if (memory) {
        quantity_format(need, QUANTITY_BYTES, reason->need);
        quantity_format(have, QUANTITY_BYTES, reason->have);
    } else {
        snprintf(need, sizeof need, "%.12g", reason->need);
        snprintf(have, sizeof have, "%.12g", reason->have);
    }
    char text[256];
    const struct given_part *part = &a->given->stage[fault.stage].part[fault.part];
    snprintf(text, sizeof text, "on cluster %s: %s: %s (asked for %s, there is %s)",
             machine->cluster[part->cluster].name, rk_verdict_name(reason->verdict), reason->what,
             need, have);
    clusters_file_fail(&a->file, fault.stage, text, error);
    return error->status = RK_NOTHING_FITS;
}

static bool is_mixed(const struct given_plan *given)
{
    for (int i = 0; given && i < given->stages; i++)
        if (given->stage[i].parts > 1) return true;
    return false;
}

static void join_words(const struct option_texts *words, char *text, size_t size)
{
    size_t used = 0;
    *text = '\0';
    for (int i = 0; i < words->count && used < size; i++)
        used += (size_t)snprintf(text + used, size - used, "%s%s", i ? " " : "", words->text[i]);
}

static enum rk_status write_files(const struct asking *a, struct rk_error *error)
{
    char words[1024];
    const struct clusters_args *args = a->args;
    enum rk_status status = RK_OK;
    join_words(&args->words, words, sizeof words);
    if ((args->ranks || args->draw) && is_mixed(a->given))
        return usage_fail(error, "ranks: of stages with replicas on several clusters none are "
                                 "written or drawn yet");
    if (args->save)
        status = clusters_file_write(args->save, &a->answer->best, a->question.machine,
                                     a->question.words.batch, words, error);
    if (status == RK_OK && args->ranks)
        status = clusters_ranks_write(args->ranks, (enum ranks_format)args->ranks_format,
                                      &a->answer->best, a->question.machine, error);
    const struct clusters_shown shown = {NULL, &a->question, a->answer, a->given};
    if (status == RK_OK && args->page)
        status = clusters_page(args->page, args->model, args->system, &shown, &args->also, error);
    if (status == RK_OK && args->draw)
        status = clusters_draw(args->draw, &a->answer->best, a->question.machine, error);
    return status;
}

/* The plan that an ordinary launcher can run: the same degrees and choices in all stages. False: it
 * cannot. */
static bool plain_plan(const struct asking *a, struct rk_plan *plain)
{
    const struct clusters_plan *plan = &a->answer->best;
    const struct clusters_stage *first = &plan->stage[0];
    if (is_mixed(a->given)) return false;
    *plain = a->question.words;
    plain->tensor = first->tensor;
    plain->context = first->context;
    plain->expert = first->expert;
    plain->pipeline = (uint64_t)plan->stages;
    plain->ranks = first->gpus * plain->pipeline;
    plain->microbatch = first->microbatch;
    plain->recompute = first->recompute;
    if (plain->recompute != RK_SELECTIVE) plain->recompute_parts = 0;
    plain->sequence_parallel &= plain->tensor > 1;
    plain->messages_sharded &= plain->tensor > 1;
    plain->splits = plan->stages;
    for (int i = 0; i < plan->stages; i++) {
        const struct clusters_stage *s = &plan->stage[i];
        if (s->tensor != first->tensor || s->context != first->context ||
            s->expert != first->expert || s->data != first->data ||
            s->recompute != first->recompute)
            return false;
        plain->split[i] = (uint16_t)s->layers;
    }
    return true;
}

static void note_launch(struct asking *a)
{
    struct rk_plan plain;
    char words[1024];
    if (!plain_plan(a, &plain)) {
        report_note(&a->report,
                    "its stages differ in more than their layers, which Megatron-LM does not run: "
                    "words such as tp8 cp1 recompute=full make them alike");
        return;
    }
    rk_plan_text(&plain, words, sizeof words);
    report_note(&a->report, report_text(&a->report,
                                        "to launch it, on the hosts of --ranks: reckon export "
                                        "megatron -m %s %s",
                                        a->args->model, words));
}

static int answer_question(struct asking *a)
{
    struct rk_error error;
    a->answer = calloc(1, sizeof *a->answer);
    enum rk_status status = !a->answer
                                ? rk_fail(&error, RK_IO, NULL, 0, 0, "no memory for the search")
                            : a->given ? judge_plan(a, &error)
                                       : search_plan(a, &error);
    if (status == RK_OK &&
        !clusters_show(&a->report, &a->question, a->answer, a->given, &a->args->also))
        status = rk_fail(&error, RK_IO, NULL, 0, 0, "no memory for the search");
    if (status == RK_OK) status = write_files(a, &error);
    if (status == RK_OK) note_launch(a);
    const int code = status == RK_OK && a->quiet ? RK_OK
                     : status == RK_OK
                         ? show_report(&a->report, &a->args->show, a->args->output, RK_OK)
                         : options_fail(&error);
    report_release(&a->report);
    free(a->answer);
    return code;
}

/* Words of the file, which those of the line outdo; then what is usual. */
static enum rk_status read_plan(struct asking *a, struct rk_machine *machine,
                                struct plan_draft *draft, struct rk_error *error)
{
    const struct clusters_args *args = a->args;
    enum rk_status status = RK_OK;
    if (args->plan && args->save)
        return usage_fail(error, "--plan and --save-plan: a plan is given or found, not both");
    if (args->plan && (args->also.links || args->also.why || args->also.pareto))
        return usage_fail(error,
                          "--plan and --links, --why or --pareto: these search, leave --plan out");
    if (args->plan) status = clusters_file_open(args->plan, &a->file, error);
    if (status == RK_OK && *a->file.words) status = plan_read_words(a->file.words, draft, error);
    memset(draft->words, 0, sizeof draft->words); /* from here on those of the line */
    if (status == RK_OK) status = plan_read_texts(&args->words, draft, error);
    if (status == RK_OK && a->file.batch && !plan_given(draft, "batch")) {
        draft->plan.batch = a->file.batch;
        draft->given[plan_row("batch")] = true;
    }
    if (status == RK_OK) status = settle(args, draft, machine, error);
    for (int i = 0; status == RK_OK && args->also.pareto && i < machine->clusters; i++)
        if (!(machine->cluster[i].price_USDph > 0))
            return usage_fail(error,
                              "--pareto: every cluster needs its price, as price=2.5 (USD for "
                              "an accelerator and hour)");
    if (status != RK_OK || !args->plan) return status;
    a->given = calloc(1, sizeof *a->given);
    if (!a->given) return rk_fail(error, RK_IO, NULL, 0, 0, "no memory for the plan");
    return clusters_file_stages(&a->file, a->question.model, machine, draft, a->given, error);
}

static int ask(const struct clusters_args *args, bool quiet)
{
    struct rk_machine machine = {.clusters = 0};
    struct rk_model model;
    struct rk_error error;
    struct plan_draft draft = plan_draft();
    struct asking asking = {
        .args = args, .quiet = quiet, .question = {.model = &model, .machine = &machine}};
    enum rk_status status = RK_OK;
    if (!args->model)
        status = usage_fail(&error, "give --model: an id of `reckon models` or a file");
    else if (!args->system)
        status = usage_fail(&error, "give --system: \"h100-sxm5-80g x64 + a100-sxm4-80g x64 "
                                    "link=100Gb/s@50us\"");
    if (status == RK_OK) status = model_open(args->model, &model, &error);
    if (status == RK_OK) status = rk_machine_load(args->system, &machine, &error);
    if (status == RK_OK) status = read_plan(&asking, &machine, &draft, &error);
    asking.question.words = draft.plan;
    asking.question.tensor = plan_given(&draft, "tensor");
    asking.question.context = plan_given(&draft, "context");
    asking.question.expert = plan_given(&draft, "expert");
    asking.question.recompute = plan_given(&draft, "recompute");
    const int code = status == RK_OK ? answer_question(&asking) : options_fail(&error);
    clusters_file_release(&asking.file);
    free(asking.given);
    rk_machine_release(&machine);
    return code;
}

/* As options_read; `wider` is the command that was called. */
static int read_args(const struct usage *wider, int argc, char **argv, struct clusters_args *args)
{
    struct usage usage = clusters_usage;
    usage.wider = wider;
    *args = (struct clusters_args){.model = NULL};
    plan_words_prepare();
    return options_read(&usage, argc, argv, args);
}

int cmd_clusters(int argc, char **argv)
{
    struct clusters_args args;
    const int done = read_args(&search_usage, argc, argv, &args);
    return done >= 0 ? done : ask(&args, false);
}

int clusters_predict(int argc, char **argv)
{
    struct clusters_args args;
    struct rk_error error;
    const int done = read_args(&predict_usage, argc, argv, &args);
    if (done >= 0) return done;
    if (args.plan) return ask(&args, false);
    usage_fail(&error, "which plan over these clusters? add --plan FILE, as reckon clusters "
                       "--save-plan FILE writes it, or search with reckon clusters");
    return options_fail(&error);
}

int clusters_report(int argc, char **argv)
{
    struct clusters_args args;
    const int done = read_args(&report_usage, argc, argv, &args);
    if (done >= 0) return done;
    args.page = args.output ? args.output : "-";
    args.output = NULL;
    return ask(&args, true);
}

bool clusters_asked(int argc, char **argv)
{
    for (int i = 1; i < argc; i++) {
        const char *text = NULL, *word = argv[i];
        if (strcmp(word, "-s") == 0 || strcmp(word, "--system") == 0)
            text = i + 1 < argc ? argv[i + 1] : NULL;
        else if (strncmp(word, "--system=", 9) == 0)
            text = word + 9;
        else if (strncmp(word, "-s", 2) == 0)
            text = word + 2;
        if (text && rk_machine_is_several(text)) return true;
    }
    return false;
}
