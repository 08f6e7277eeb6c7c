/* reckon clusters: the best plan over several clusters. */
#include "base/units.h"
#include "cli/clusters_ranks.h"
#include "cli/commands.h"
#include "cli/model_input.h"
#include "cli/plan_input.h"
#include "cli/show.h"
#include "clusters/search.h"
#include "workload/layers.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

struct clusters_args {
    const char *model, *system, *output, *ranks;
    int ranks_format;
    uint64_t batch;
    bool links;
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
    {.name = "links", .type = OPTION_FLAG, AT(links),
     .help = "also what other bandwidths of each link would do: searches again for each"},
    {.name = "ranks", .type = OPTION_OUTPUT, .argument = "FILE", AT(ranks), .complete = "file",
     .help = "write where each rank of the plan runs; hosts are NAME-NODE of the cluster's name and the node's number"},
    {.name = "ranks-format", .type = OPTION_CHOICE, .argument = "FORMAT", AT(ranks_format), .choices = ranks_format_names,
     .help = "mpi: Open MPI's rankfile; slurm: a SLURM_HOSTFILE for --distribution=arbitrary; torchrun: a command for each host; nccl: groups, their members and the network each takes, as JSON (mpi)"},
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
        "how many layers and nodes each stage gets, its tensor and data degree, what is computed again, how many samples "
        "go through at a time; nodes may be left idle, and so may a cluster. Tensor, context, data and expert groups stay in a stage, and a stage "
        "in a cluster; a cluster's stages follow each other.\n\n"
        "The search is exact for its objective, sum of c + (m - 1) max c + what is waited for at the end, and says so: no plan "
        "has less. The event simulation then decides between the plans that were the best for some pace; the gap is printed. "
        "The schedule is 1F1B. Unless words say otherwise, ZeRO-1 with overlap, sequence parallelism, and messages "
        "between stages that tensor ranks share.\n\n"
        "Exit status 0: there is a plan; 1: nothing fits.",
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

static enum rk_status check_model(const struct rk_model *model, struct rk_error *error)
{
    if (layer_run(model, 0) == model->layers) return RK_OK;
    return rk_fail(error, RK_BAD_INPUT, NULL, 0, 0,
                   "the model's layers are of several kinds, of which stages over clusters are not "
                   "searched yet: reckon search has them on one");
}

/* ---- tables ---- */

/* clang-format off */
static const struct report_column step_columns[] = {
    {.name = "step_s", .unit = "s", .digits = 4, .help = "by event simulation, the better of the plans looked at"},
    {.name = "objective_s", .title = "objective", .unit = "s", .digits = 4, .help = "of that plan: sum c + (m - 1) max c + the end"},
    {.name = "bound_s", .title = "bound", .unit = "s", .digits = 4, .help = "no plan has an objective below: proved"},
    {.name = "gap", .unit = "%", .digits = 2, .help = "the objective above the simulation"},
    {.name = "samples_per_s", .title = "samples per second", .unit = "", .digits = 5},
    {.name = "microbatches", .help = "of a step"},
    {.name = "round", .title = "samples of a round", .help = "of a microbatch, over all replicas of a stage"},
    {.name = "gpus_used", .title = "GPUs used"},
    {.name = "gpus", .title = "GPUs there"},
    {.name = "usd", .title = "price of a step", .unit = "", .digits = 4, .help = "USD: GPU-hours used, bytes over links"},
    {.name = "problems", .help = "orders of clusters and rounds, each solved exactly"},
    {.name = "labels", .help = "partial plans kept"},
    {.name = "simulated", .help = "plans simulated"},
};
static const struct report_column stage_columns[] = {
    {.name = "stage"},
    {.name = "cluster"},
    {.name = "layers"},
    {.name = "nodes"},
    {.name = "gpus", .title = "GPUs"},
    {.name = "tensor", .title = "tp"},
    {.name = "context", .title = "cp"},
    {.name = "data", .title = "dp"},
    {.name = "microbatch", .title = "mbs"},
    {.name = "recompute"},
    {.name = "forward_s", .title = "forward", .unit = "s", .digits = 2},
    {.name = "backward_s", .title = "backward", .unit = "s", .digits = 2},
    {.name = "message_s", .title = "messages", .unit = "s", .digits = 2},
    {.name = "sync_s", .title = "end", .unit = "s", .digits = 2},
    {.name = "bytes", .title = "memory", .unit = "B", .digits = 1},
    {.name = "fill", .title = "", .bar = REPORT_BAR_FILL},
};
static const struct report_column alone_columns[] = {
    {.name = "machine"},
    {.name = "gpus", .title = "GPUs"},
    {.name = "bound_s", .title = "objective", .unit = "s", .digits = 4},
    {.name = "slower", .title = "over the best", .unit = "%", .digits = 1},
};
static const struct report_column link_columns[] = {
    {.name = "link"},
    {.name = "bandwidth_Bps", .title = "bandwidth", .unit = "B/s", .digits = 1, .own_scale = true},
    {.name = "objective_s", .title = "objective", .unit = "s", .digits = 4},
    {.name = "saves", .unit = "%", .digits = 2},
    {.name = "clusters", .title = "clusters used"},
};
/* clang-format on */

struct show {
    struct report *report;
    const struct clusters_question *question;
    const struct clusters_answer *answer;
};

static uint64_t gpus_used(const struct clusters_plan *plan)
{
    uint64_t gpus = 0;
    for (int i = 0; i < plan->stages; i++)
        gpus += plan->stage[i].gpus;
    return gpus;
}

/* NAN: no price is known. */
static double price_of(const struct rk_machine *machine, const struct clusters_plan *plan)
{
    double price = 0;
    for (int i = 0; i < plan->stages; i++) {
        const struct clusters_stage *s = &plan->stage[i];
        price +=
            (double)s->gpus * machine->cluster[s->cluster].price_USDph / 3600 * plan->simulated_s;
        if (i + 1 < plan->stages)
            price += 2 * (double)plan->microbatches * plan->message_bytes *
                     machine->link[s->cluster][plan->stage[i + 1].cluster].price_USD;
    }
    return price > 0 ? price : NAN;
}

static void show_step(const struct show *show)
{
    const struct clusters_plan *best = &show->answer->best;
    const struct rk_machine *machine = show->question->machine;
    const double price = price_of(machine, best);
    const double gap = best->value_s / best->simulated_s - 1;
    uint64_t gpus = 0;
    for (int i = 0; i < machine->clusters; i++)
        gpus += machine->cluster[i].system.devices;
    const struct report_cell cells[] = {
        cell_number(best->simulated_s),
        cell_number(best->value_s),
        cell_number(show->answer->proved.value_s),
        cell_number(fabs(gap) < 1e-9 ? 0 : gap),
        cell_number((double)show->question->words.batch / best->simulated_s),
        cell_count(best->microbatches),
        cell_count(best->round),
        cell_count(gpus_used(best)),
        cell_count(gpus),
        isnan(price) ? cell_none() : cell_number(price),
        cell_count(show->answer->problems),
        cell_count(show->answer->labels),
        cell_count(show->answer->simulated),
    };
    const struct report_table shape = {.name = "plan",
                                       .shape = REPORT_RECORD,
                                       .formats = REPORT_IN_TEXT | REPORT_IN_JSON,
                                       .columns = step_columns,
                                       .column_count = sizeof step_columns / sizeof *step_columns};
    report_row(show->report, report_add(show->report, &shape), cells);
}

static void show_stages(const struct show *show)
{
    const struct clusters_plan *best = &show->answer->best;
    const struct report_table shape = {.name = "stages",
                                       .title = "Stages",
                                       .formats = REPORT_IN_ALL,
                                       .columns = stage_columns,
                                       .column_count =
                                           sizeof stage_columns / sizeof *stage_columns};
    struct report_table *table = report_add(show->report, &shape);
    for (int i = 0; i < best->stages; i++) {
        const struct clusters_stage *s = &best->stage[i];
        const struct report_cell cells[] = {
            cell_count((uint64_t)i),   cell_text(show->question->machine->cluster[s->cluster].name),
            cell_count(s->layers),     cell_count(s->nodes),
            cell_count(s->gpus),       cell_count(s->tensor),
            cell_count(s->context),    cell_count(s->data),
            cell_count(s->microbatch), cell_text(rk_recompute_mode_name(s->recompute)),
            cell_number(s->forward_s), cell_number(s->backward_s),
            cell_number(s->message_s), cell_number(s->sync_s),
            cell_number(s->bytes),     cell_number(s->bytes / s->capacity_bytes),
        };
        report_row(show->report, table, cells);
    }
}

static void show_alone(const struct show *show)
{
    const struct rk_machine *machine = show->question->machine;
    const double best_s = show->answer->proved.value_s;
    const struct report_table shape = {.name = "alone",
                                       .title = "Each cluster by itself",
                                       .formats = REPORT_IN_TEXT | REPORT_IN_JSON,
                                       .columns = alone_columns,
                                       .column_count =
                                           sizeof alone_columns / sizeof *alone_columns};
    if (machine->clusters == 1) return;
    struct report_table *table = report_add(show->report, &shape);
    for (int i = 0; i < machine->clusters; i++) {
        const double alone_s = show->answer->alone_s[i];
        const bool fits = !isinf(alone_s);
        const struct report_cell cells[] = {
            cell_text(report_text(show->report, "%s: %s%s", machine->cluster[i].name,
                                  machine->cluster[i].system.id, fits ? "" : ", nothing fits")),
            cell_count(machine->cluster[i].system.devices),
            fits ? cell_number(alone_s) : cell_none(),
            fits ? cell_number(alone_s / best_s - 1) : cell_none(),
        };
        report_row(show->report, table, cells);
    }
}

/* ---- links ---- */

static const char *clusters_text(const struct show *show, const struct clusters_plan *plan)
{
    const char *text = "";
    for (int i = 0; i < plan->stages; i++)
        if (i == 0 || plan->stage[i].cluster != plan->stage[i - 1].cluster)
            text = report_text(show->report, "%s%s%s", text, i ? ", " : "",
                               show->question->machine->cluster[plan->stage[i].cluster].name);
    return text;
}

static bool show_link(const struct show *show, struct report_table *table, int a, int b)
{
    static const double shares[] = {0.25, 0.5, 2, 4, 1024};
    struct rk_machine machine = *show->question->machine;
    struct clusters_question asked = *show->question;
    struct clusters_answer *answer = malloc(sizeof *answer);
    const struct rk_cluster_link *link = &show->question->machine->link[a][b];
    const double now_s = show->answer->proved.value_s;
    char rate[QUANTITY_TEXT];
    bool good = answer != NULL;
    asked.machine = &machine;
    for (size_t i = 0; good && i < sizeof shares / sizeof *shares; i++) {
        machine.link[a][b].bandwidth_Bps = machine.link[b][a].bandwidth_Bps =
            shares[i] * link->bandwidth_Bps;
        good = clusters_search(&asked, answer);
        const struct report_cell cells[] = {
            cell_text(report_text(show->report, "%s - %s", machine.cluster[a].name,
                                  machine.cluster[b].name)),
            cell_number(machine.link[a][b].bandwidth_Bps),
            cell_number(answer->proved.value_s),
            cell_number(1 - answer->proved.value_s / now_s),
            cell_text(clusters_text(show, &answer->proved)),
        };
        if (good) report_row(show->report, table, cells);
    }
    free(answer);
    const double even = good ? clusters_break_even(show->question, a, b) : NAN;
    if (isnan(even)) return false;
    quantity_format(rate, QUANTITY_BYTES_PER_S, even);
    report_note(
        show->report,
        isinf(even) ? "no bandwidth of the link makes several clusters better than the best one"
        : even <= 0
            ? "several clusters are better than one at any bandwidth looked at"
            : report_text(show->report, "below %s a node, several clusters are no better than one",
                          rate));
    return true;
}

static bool show_links(const struct show *show)
{
    const struct report_table shape = {.name = "links",
                                       .title = "What other links would do",
                                       .formats = REPORT_IN_TEXT | REPORT_IN_JSON,
                                       .columns = link_columns,
                                       .column_count = sizeof link_columns / sizeof *link_columns};
    struct report_table *table = report_add(show->report, &shape);
    for (int a = 0; a < show->question->machine->clusters; a++)
        for (int b = a + 1; b < show->question->machine->clusters; b++)
            if (!show_link(show, table, a, b)) return false;
    return true;
}

/* ---- the command ---- */

static int answer_question(const struct clusters_args *args, const struct rk_model *model,
                           const struct rk_machine *machine, const struct plan_draft *draft)
{
    struct report report = {.first = NULL};
    struct rk_error error;
    struct clusters_answer *answer = malloc(sizeof *answer);
    const struct clusters_question question = {
        .model = model,
        .machine = machine,
        .words = draft->plan,
        .tensor = plan_given(draft, "tensor"),
        .recompute = plan_given(draft, "recompute"),
    };
    const struct show show = {&report, &question, answer};
    int code = RK_OK;
    bool good = answer && clusters_search(&question, answer);
    if (good && isinf(answer->best.value_s)) {
        rk_fail(
            &error, RK_NOTHING_FITS, NULL, 0, 0,
            "no plan fits: each stage holds at least one layer, with everything computed again; "
            "add nodes, or words such as zero3, ep8, cp2");
        code = options_fail(&error);
    } else if (good) {
        show_step(&show);
        show_stages(&show);
        show_alone(&show);
        if (args->links && machine->clusters > 1) good = show_links(&show);
        if (good && args->ranks)
            code = (int)clusters_ranks_write(args->ranks, (enum ranks_format)args->ranks_format,
                                             &answer->best, machine, &error);
        if (good && code != RK_OK) options_fail(&error);
        if (good && code == RK_OK) code = show_report(&report, &args->show, args->output, RK_OK);
    }
    if (!good) {
        rk_fail(&error, RK_IO, NULL, 0, 0, "no memory for the search");
        code = options_fail(&error);
    }
    report_release(&report);
    free(answer);
    return code;
}

int cmd_clusters(int argc, char **argv)
{
    struct clusters_args args = {.model = NULL};
    struct rk_machine machine = {.clusters = 0};
    struct rk_model model;
    struct rk_error error;
    struct plan_draft draft = plan_draft();
    plan_words_prepare();
    const int done = options_read(&clusters_usage, argc, argv, &args);
    if (done >= 0) return done;
    enum rk_status status = RK_OK;
    if (!args.model)
        status = usage_fail(&error, "give --model: an id of `reckon models` or a file");
    else if (!args.system)
        status = usage_fail(&error, "give --system: \"h100-sxm5-80g x64 + a100-sxm4-80g x64 "
                                    "link=100Gb/s@50us\"");
    if (status == RK_OK) status = plan_read_texts(&args.words, &draft, &error);
    if (status == RK_OK) status = model_open(args.model, &model, &error);
    if (status == RK_OK) status = rk_machine_load(args.system, &machine, &error);
    if (status == RK_OK) status = check_model(&model, &error);
    if (status == RK_OK) status = settle(&args, &draft, &machine, &error);
    const int code =
        status == RK_OK ? answer_question(&args, &model, &machine, &draft) : options_fail(&error);
    rk_machine_release(&machine);
    return code;
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
