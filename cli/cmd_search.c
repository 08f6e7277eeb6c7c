/* reckon search: the best plans of all there are. */
#include "base/text.h"
#include "base/threads.h"
#include "cli/commands.h"
#include "cli/pages.h"
#include "cli/plan_input.h"
#include "cli/plan_operands.h"
#include "cli/questions.h"
#include "cli/search_all.h"
#include "cli/search_clusters.h"
#include "cli/search_layerwise.h"
#include "cli/search_machines.h"
#include "cli/search_select.h"
#include "cli/search_table.h"
#include "facts/headroom.h"
#include "text/output.h"

#include <string.h>

#define AT(member)   .offset = offsetof(struct search_args, member)
#define LIST(member) AT(member), .listed = true

enum { MOST_ROWS = 1000000, USUAL_TOP = 10 };

static const char *const framework_names[] = {"megatron", "fsdp", "deepspeed", "calculon", NULL};

/* clang-format off */
static const struct operand search_operands[] = {
    PLAN_OPERANDS(LIST(models), LIST(systems)),
    {.name = "PLAN", .help = "Words that all plans share, \"tp8 cuda-graphs imbalance=1.2\"; below are all",
     .offset = offsetof(struct search_args, words), .optional = OPERAND_MANY, .complete = "plan"},
    {.name = NULL},
};
static const struct option input_options[] = {
    {.letter = 'm', .name = "model", .common = true, .type = OPTION_TEXTS, .argument = "MODEL", AT(models), .complete = "models",
     .help = "Model: an id of `reckon models`, a file, or - (standard input); several with commas, or repeated"},
    {.letter = 's', .name = "system", .common = true, .type = OPTION_TEXTS, .argument = "SYSTEM", AT(systems), .complete = "systems",
     .help = "Machine: an id of `reckon systems`, a file, -, or a description in one line, \"h100-80g x4096 nvl8 hbm=120GiB\", with price=USD of an accelerator and hour or an offer of `reckon prices`; several with commas (ids and files), or repeated"},
    {.name = NULL},
};
static const struct option size_options[] = {
    {.letter = 'g', .name = "gpus", .common = true, .type = OPTION_TEXT, .argument = "N", AT(gpus),
     .help = "Number of GPUs: a number, a list (512,1024) or a range (1024..16384; see SIZES)"},
    {.letter = 'b', .name = "batch", .common = true, .type = OPTION_TEXT, .argument = "N", AT(batch),
     .help = "Samples per step over all GPUs (global batch): a number, a list or a range"},
    {.name = "sequence", .type = OPTION_NUMBER, .argument = "TOKENS", AT(sequence), .min = 1,
     .help = "Tokens per sample (default: the model's)"},
    {.name = NULL},
};
static const struct option framework_options[] = {
    {.letter = 'p', .name = "plan", .common = true, .type = OPTION_TEXT, .argument = "FILE|WORDS", AT(plan), .complete = "file",
     .help = "Choices that all plans share: words, \"tp8 cuda-graphs\", or those of a plan file, without its sizes"},
    {.name = "framework", .type = OPTION_CHOICE, .choices = framework_names, .argument = "NAME", AT(framework),
     .help = "Framework whose defaults apply: megatron, fsdp, deepspeed; calculon: the Calculon model (default: megatron; calculon if the system has no kernels)"},
    {.name = NULL},
};
static const struct option search_options[] = {
    {.letter = 'k', .name = "top", .common = true, .type = OPTION_NUMBER, AT(top), .argument = "K", .min = 1, .max = MOST_ROWS,
     .help = "Number of plans to print, up to 1,000,000 (default: 10; all of a frontier)"},
    {.letter = 'j', .name = "threads", .type = OPTION_NUMBER, AT(threads), .min = 1, .max = MOST_THREADS,
     .help = "Search with N threads; the result is the same for any number (default: all cores)"},
    {.name = "exhaustive", .type = OPTION_FLAG, AT(exhaustive),
     .help = "Evaluate every feasible plan instead of pruning by bounds; same result"},
    {.name = "unstartable", .type = OPTION_FLAG, AT(unstartable),
     .help = "Include plans that the framework refuses at its start: interleaved stages that the microbatches do not fill, zero-bubble in Megatron-LM, DeepSpeed's pipelines (docs/search.md has all)"},
    {.name = "launchable", .type = OPTION_FLAG, AT(launchable),
     .help = "Over several clusters, search only plans that Megatron-LM launches as one job: 1F1B, and stages that differ only in their layers (default: the first lines name the best of these next to the best of all)"},
    {.name = "layerwise", .type = OPTION_FLAG, AT(layerwise),
     .help = "Choose tensor and context degree, ZeRO, recomputation and offload for each layer, on uneven stages (docs/layerwise.md)"},
    {.name = "state", .type = OPTION_OUTPUT, .argument = "FILE", AT(state), .complete = "file",
     .help = "Save progress to FILE and resume from it; FILE is deleted on completion"},
    {.name = "explain", .type = OPTION_FLAG, AT(explain),
     .help = "Print to standard error which bound pruned which plans"},
    {.letter = 'q', .name = "quiet", .type = OPTION_FLAG, AT(quiet),
     .help = "Print nothing to standard error but errors and warnings"},
    OPTION_VERBOSE_ROW(AT(verbose), "what all plans have in common, plans by outcome, and what lies outside the default space"),
    OPTION_OUTPUT_ROW(AT(output)),
    {.name = NULL},
};
static const struct option question_options[] = {
    {.name = "where", .common = true, .type = OPTION_TEXT, .argument = "CONDITION", AT(where),
     .help = "Keep plans that satisfy EXPRESSION, such as 'hbm <= 60GiB and tensor <= 8' (see EXPRESSIONS)"},
    OPTION_HEADROOM_ROW(AT(headroom)),
    {.name = "sort", .type = OPTION_TEXT, .argument = "EXPRESSION", AT(sort),
     .help = "Sort by EXPRESSION instead of the time: least first, or largest first for a rate or an efficiency; sort rows of several problems also by price, power_kW, energy_kWh, cost_per_trillion and measured"},
    {.name = "pareto", .common = true, .type = OPTION_TEXT, .argument = "LIST", AT(pareto),
     .help = "Print the Pareto frontier of these expressions: time,hbm,mem2"},
    {.name = "all", .type = OPTION_OUTPUT, .argument = "FILE", AT(all), .complete = "file",
     .help = "Write every plan that fits, and satisfies --where, to FILE: .csv, .csv.gz or .sqlite"},
    {.name = "why", .type = OPTION_FLAG, AT(why),
     .help = "Print the closest infeasible plans and single changes that make one feasible (default when nothing fits)"},
    {.name = "nearest", .type = OPTION_FLAG, AT(nearest),
     .help = "Also print the measured runs of three sources most like the best plan, with their predictions; --format json always has them"},
    {.name = "sensitivity", .type = OPTION_FLAG, AT(sensitivity),
     .help = "Print how the best time depends on each rate, bandwidth, efficiency, latency and capacity: what to improve first"},
    {.name = NULL},
};

const struct usage search_usage = {
    .name = "search",
    .summary = "search for the fastest plans",
    .synopsis = "[--model] MODEL [--system] SYSTEM [--gpus N] --batch N [options] [PLAN]...",
    .description =
        "Searches every plan for one model on one machine: all degrees of tensor, context, pipeline, "
        "expert and data parallelism, microbatches, uneven stages, schedules that the framework can "
        "start, ZeRO 0 to 3 and hybrid sharding, recomputation by part or of the first layers, kinds "
        "and overlap of communication, offload. Prints the best plans, the command that launches the "
        "best, and counts of plans: feasible, and infeasible by reason.\n\n"
        "The detailed model predicts plans, reckon-predict(1), or with --framework calculon the "
        "Calculon model; the second line of an answer names the model. For a system without kernels "
        "it is the Calculon model, and that line gives the reason.\n\n"
        "Ties are broken by the position in the enumeration, so that the answer is always the same. "
        "Standard error has the time of the search, and the total time with preparation and further "
        "questions.\n\n"
        "Several models, systems, numbers of GPUs or batches are all combined: the table has one row "
        "per problem with its best plan, or why it has none.\n\n"
        "SIGINT ends the search with the best plans so far, marked as incomplete, and exit status 130; "
        "SIGTERM ends it with 143. With --state FILE the same command resumes a search that was "
        "stopped, by a signal or otherwise, and gives the same answer; FILE is deleted on completion. "
        "When nothing fits, the exit status is 1; of several problems, when none has a plan.",
    .operands = search_operands,
    .words_title = "Words of a plan",
    .words = plan_words,
    .groups = {
        {"Input", input_options, 0},
        {"Size", size_options, 0},
        {"Framework", framework_options, 0},
        {"Search", search_options, 0},
        {"Output", save_options, offsetof(struct search_args, save)},
        {"Questions", question_options, 0},
        {"The whole run, as in reckon-predict(1)", run_options, offsetof(struct search_args, run), true},
        {"Restrictions: a value, a list (8,16) or a range (1..64); defaults: see PLANS",
         plan_axes_options, offsetof(struct search_args, axes), true},
        {"Form", show_options, offsetof(struct search_args, show)},
        {"General", options_help_rows, 0},
    },
    .sections = {
        {"SIZES",
         "Whole numbers may end in k, M, G or T, powers of 1024: --sequence 128k. "
         "A number of GPUs or a batch may be a list with commas and ranges. LOW..HIGH doubles from LOW "
         "to at most HIGH; LOW..HIGHxF multiplies by F, LOW..HIGH+S adds S. B^E is a power. "
         "1024..16384 and 2^10..2^14 are both 1024, 2048, 4096, 8192, 16384."},
        {"PLANS",
         "--batch is the batch of every plan, a multiple of data times microbatch. An axis that is not "
         "restricted takes its default values: tensor the divisors of the heads within two of the "
         "innermost network domains; context while a rank has at least 2,048 tokens; pipeline up to "
         "the layers; expert the divisors of the experts, with expert-tensor 1 or equal to tensor; "
         "microbatch up to 64; chunks powers of two and what divides the layers, up to 16; "
         "recomputation none, full (of all layers or the first 1, 2, 4, ... of a virtual stage) and "
         "sets of parts; ZeRO stages of the framework, over all ranks or within a node; offload where "
         "there is a second memory; stage splits even, with embedding and head as a layer each, and "
         "balanced by time. Precision, dispatcher and overlaps follow the framework, the attention "
         "kernel follows the framework and the GPU; experts of Megatron-LM are also searched with "
         "expert-overlap where it starts that. A choice that is left out and would make the best plan "
         "faster is printed below the counts. Plans that the framework refuses at its start are left "
         "out, unless --unstartable or a value that only they have asks for them; --why prints their "
         "gain. docs/search.md has them all.\n\n"
         "A restriction applies where its axis has a meaning: --schedule zero-bubble keeps plans "
         "without a pipeline. Unusual values are searched on request. --recompute takes none, full and "
         "selective (core_attn), --recompute-parts the other sets of parts. Words of a plan, as in "
         "reckon predict, restrict an axis to one value or set a choice of all plans: imbalance=1.2 "
         "cuda-graphs no-fused.\n\n"
         "With --framework calculon the batch is the largest multiple of the data degree up to "
         "--batch, the activation is fused unless --fused overrides it, and the axes are those of "
         "[isaev2023]: tensor, pipeline, data, microbatch, precision, recompute, chunks, zero 0 and 1, "
         "overlaps, offload to any tier, tensor-comm, regather, fused, and the network of each "
         "parallelism."},
        {"SEVERAL CLUSTERS",
         "A system may be several clusters with a link between them, \"h100-sxm5-80g x64 + "
         "a100-sxm4-80g x64 link=100Gb/s@50us\", reckon-system(5). The pipeline then runs through "
         "clusters of unequal GPUs or networks: the search chooses the clusters and their order, the "
         "layers and nodes of each stage, its tensor, context, expert and data degrees, recomputation "
         "and offload, and the microbatch; nodes may stay idle, and so may a cluster. Tensor, context, "
         "data and expert groups stay within a stage, and a stage within a cluster; the only exception "
         "is the whole model in one stage with replicas on several clusters.\n\n"
         "The search is exact for its objective, sum of c + (m - 1) max c + the exposed time at the "
         "end; the event simulation then chooses among the plans that were the best for some pace. "
         "--top, --sort, --pareto and --all apply to those plans; --sort and --pareto also try a "
         "quarter, a half and three quarters of each cluster's nodes, and `step_usd` is the cost of a "
         "step where every cluster has price=. A condition holds for a plan if it holds for each of "
         "its stages. All stages have the same precision, kernels, overlaps, ZeRO (1, with overlap, "
         "unless restricted) and schedule. docs/clusters.md.\n\n"
         "A line with {lists}, x{16,32}, is a machine for each choice, of several clusters or of one."},
        {"EXPRESSIONS",
         "--where, --sort and --pareto take expressions over the figures of a prediction and the "
         "axes of a plan:\n\n"
         "  or         := and { \"or\" and }\n"
         "  and        := not { \"and\" not }\n"
         "  not        := [ \"not\" ] comparison\n"
         "  comparison := sum [ (\"<\" | \"<=\" | \">\" | \">=\" | \"==\" | \"=\" | \"!=\") sum ]\n"
         "  sum        := product { (\"+\" | \"-\") product }\n"
         "  product    := unary { (\"*\" | \"/\") unary }\n"
         "  unary      := [ \"-\" ] ( number [ unit | \"%\" ] | name | \"(\" or \")\" )\n\n"
         "A name is a figure (step_s, hbm_bytes, bubble_s, mfu: all those that `reckon predict "
         "--format json` lists under figures), an axis (tensor, recompute, gradient-overlap or gradient_overlap: the "
         "restrictions; also as words of a plan say it: tp, vpp), batch, or one of the short names time or step, with --tokens days, gpu_hours and cost, hbm or memory, mem2 (all lower "
         "memory tiers) and rate (samples per second). A number may have a unit (60GiB, 10us, "
         "25GB/s) or be a share (mfu > 50%); a size needs its unit, except next to a full name (2*hbm_bytes) or one that is scaled by a "
         "thousand or more (hbm/1e9). An axis of words is compared with its words (recompute == none), an axis that is "
         "on or off with yes and no. A comparison is 1 or 0 in arithmetic.\n\n"
         "Less is better, except for a rate or an efficiency by itself, where more is better. Ties are broken by "
         "the position in the enumeration. --pareto takes up to eight expressions; of plans "
         "that are equal in all of them the first is kept."},
        {"WHY NOT",
         "When nothing fits, or with --why, two tables follow. The first has the closest infeasible "
         "plans, which violate one limit only, for each memory and each network: what they need, and "
         "their time. The second has single changes: more of each memory tier (or a second one at 100 "
         "GB/s where there is none), a larger domain of each network, each restriction left out, fewer "
         "or more GPUs, a smaller or larger batch; each is the smallest change that makes a plan "
         "feasible, with that plan and its time. Each change was made and searched. Memory sizes are "
         "exact; of networks all relevant sizes are tried; of GPUs the 16 nearest numbers of whole "
         "nodes on either side, the divisors of the number, and eighths between its doublings up to "
         "1,024 times the number; of batches halves and doubles (with calculon also the values "
         "between, by bisection). If a plan fits already, the aim is a plan with at least 1 % more "
         "samples per second, and sizes stay fixed."},
        {"SENSITIVITY",
         "Each parameter of the machine is changed by +10 % and -10 %, one at a time, and the best "
         "plan searched again. The sensitivity is the relative change of the best time per relative "
         "change of the parameter: -0.7 says that 10 % more of it makes the best step about 7 % "
         "shorter. Where one side is impossible (an efficiency above 1, a memory that nothing fits) "
         "the other side is used. Parameters that are unlimited or 0 are left out. With --sort or "
         "--pareto the sensitivity is that of the first row, whose plan stays fixed."},
    },
    .examples = {
        {"reckon search -m llama3.1-70b -s h100-sxm5-80g --gpus 64 --batch 256 --save-plan plan.json --save-script run.sh",
         "Print the ten best plans for Llama 3.1 70B on 64 H100; save the best, and its launch script:"},
        {"reckon search -m gpt3-175b -s a100-80g-nvl8 -g 1024 -b 1536 --framework calculon --tensor 8,16 --recompute none --top 3",
         "Search a part of the plans with the Calculon model:"},
        {"reckon search -m llama3.1-70b -s h100-sxm5-80g -g 64 -b 256 --format csv > best.csv",
         "Write CSV for a program:"},
        {"reckon search -m llama3.1-70b -s h100-sxm5-80g -g 64 -b 256 --where 'hbm <= 60GiB and tensor <= 8'",
         "Keep memory free:"},
        {"reckon search -m llama3.1-70b -s h100-sxm5-80g -g 64 -b 256 --pareto time,hbm,mem2",
         "Trade time against memory:"},
        {"reckon search -m llama3.1-70b -s h100-sxm5-80g -g 64 -b 256 --all plans.sqlite",
         "Write all feasible plans, for your own queries:"},
        {"reckon search -m llama3.1-70b -b 256 -s \"h100-sxm5-80g x64 + a100-sxm4-80g x{32,64} link={25Gb/s,100Gb/s}@50us\"",
         "Compare sizes of a second cluster and speeds of the link:"},
        {"reckon search -m deepseek-v3 -s h800-sxm5-80g -g 2048 -b 15360 --precision fp8-block --schedule dualpipe --tensor 1",
         "Search DeepSeek-V3 as its report has it, except for the degrees:"},
        {"reckon search -m megatron-1t -s a100-80g-nvl8 -g 64 -b 512",
         "Why can it not run, and what would help?"},
        {"reckon search -m llama3.1-70b -s h100-sxm5-80g -g 64 -b 256 --sensitivity",
         "Which part of the machine should improve first?"},
        {"reckon search -m llama3.1-70b -b 1536 -s \"h200 x512 price=3.2\" -s \"b200 x384 price=5.1\" --tokens 15T --sort cost",
         "Which machine is the cheapest, each at its price?"},
        {"reckon search -m gpt3-175b,megatron-1t -s h100-80g-nvl8 -g 1024..16384 -b 3072",
         "How does it scale?"},
        {"reckon search -m deepseek-v3 -s 'h800-sxm5-80g mem2=1TiB@50GB/s' -g 2048 -b 15360 --activation-shares all --unstartable --exhaustive --state search.state",
         "Run a long search that resumes when the command is given again:"},
    },
    .see_also = "reckon-predict(1), reckon-study(1), reckon-model(5), reckon-system(5), reckon-plan(5)",
};
/* clang-format on */

/* ---- one problem ---- */

static enum rk_status save_best(const struct search *search, struct rk_error *error)
{
    struct rk_plan plan;
    if (!search->result.found || !search_speaks()) return RK_OK;
    search_plan(search, 0, &plan);
    return save_files(&search->args->save,
                      &(struct save_answer){search->problem.model, search->problem.system, &plan,
                                            &search->args->run},
                      error);
}

static enum rk_status write_all(const struct search *search, struct search_session *session,
                                struct rk_error *error)
{
    char digits[REPORT_DIGITS];
    uint64_t written;
    if (!search->args->all || !search->result.complete || !search_speaks()) return RK_OK;
    const enum rk_status status = search_all_write(search, session, &written, error);
    if (status == RK_OK && !search->args->quiet)
        fprintf(stderr, "reckon: %s plans written to %s\n", report_digits(written, digits),
                search->args->all);
    return status;
}

/* Of one cluster the page of `reckon report --search`. */
static int show(const struct report *report, const struct search *search,
                struct search_session *session, int code)
{
    const struct search_args *args = search->args;
    const char *output = search_speaks() ? args->output : NULL;
    struct html_page page = {.title = NULL};
    struct rk_error error;
    if (!show_is_page(&args->show, output)) return show_report(report, &args->show, output, code);
    enum rk_status status = page_search(&page,
                                        &(struct page_search){.model_name = args->models.text[0],
                                                              .system_name = args->systems.text[0],
                                                              .search = search,
                                                              .answer = report,
                                                              .progress = &session->progress},
                                        &error);
    if (status == RK_OK) status = page_write(&page, output, NULL, NULL, PAGE_HTML, &error);
    html_release(&page);
    return status == RK_OK ? code : options_fail(&error);
}

/* Prints the answer; returns the exit code. */
static int answer(const struct search *search, const struct search_keys *keys,
                  struct search_session *session)
{
    const struct search_args *args = search->args;
    const bool complete = search->result.complete;
    const bool stdout_too = !args->output || output_is_stdout(args->output);
    const bool piped = search->result.found && stdout_too &&
                       (output_is_stdout(args->save.plan) || output_is_stdout(args->save.script));
    struct report report = show_begin(&args->show, args->output);
    struct rk_error error;
    int failed = RK_OK;
    if (!piped && search_report(&report, search, keys, &error) != RK_OK)
        failed = options_fail(&error);
    const enum rk_status wrote = write_all(search, session, &error);
    progress_end(&session->progress);
    int code = search->result.found ? RK_OK : RK_NOTHING_FITS;
    if (!complete)
        fputs("reckon: interrupted: these are the best so far, the search is incomplete\n", stderr);
    else if (progress_stopped())
        fputs("reckon: interrupted: what was asked beyond the best plans is incomplete\n", stderr);
    if (!complete || progress_stopped()) code = RK_INTERRUPTED;
    if (!args->quiet) search_answer_rate(search, session);
    if (args->explain) search_answer_explain(search);
    if (!piped) code = show(&report, search, session, code);
    if (failed != RK_OK) code = failed;
    if (wrote != RK_OK) code = options_fail(&error);
    if (save_best(search, &error) != RK_OK) code = options_fail(&error);
    report_release(&report);
    return code;
}

static int search_one(const struct search_grid *grid, const struct search_args *args,
                      struct search_session *session)
{
    const struct grid_problem at = search_grid_at(grid, 0);
    struct search search = {.args = args, .line = at.line};
    struct search_keys keys;
    struct rk_error error;
    session->all_searches = 1;
    enum rk_status status = search_set(&search, at.model, at.system, at.gpus, at.batch, &error);
    if (status == RK_OK) status = search_keys_open(&search, &keys, &error);
    if (status == RK_OK && args->layerwise) {
        progress_end(&session->progress);
        return search_layerwise(&search);
    }
    if (status == RK_OK)
        status = search_run(&search, session, args->top ? args->top : USUAL_TOP, &error);
    if (status == RK_OK)
        status = search_with_host(&search, session, args->top ? args->top : USUAL_TOP, &error);
    const int code = status == RK_OK ? answer(&search, &keys, session) : options_fail(&error);
    search_release(&search);
    return code;
}

/* ---- the command ---- */

/* Then the first row of the frontier is the fastest plan. NULL: there is none. */
static bool begins_with_time(const char *pareto)
{
    static const char *const names[] = {"time", "step_s", "step"};
    if (!pareto) return true;
    pareto += strspn(pareto, " ");
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const size_t length = strlen(names[i]);
        if (strncmp(pareto, names[i], length) == 0 && strchr(", ", pareto[length])) return true;
    }
    return false;
}

/* Is a system of several clusters, or (false) of one? */
static bool has_system(const struct search_grid *grid, bool of_clusters)
{
    for (int i = 0; i < grid->systems; i++)
        if ((grid->system[i].machine != NULL) == of_clusters) return true;
    return false;
}

/* What says nothing of a machine of several clusters; NULL: all that is given does. */
static const char *beside_clusters(const struct search_args *args)
{
    if (args->layerwise)
        return "--layerwise is about one cluster: over several each stage has choices of its own";
    if (args->unstartable)
        return "--unstartable is about one cluster: over several all plans are searched, those "
               "too that no framework starts as one job (--launchable leaves them out)";
    if (args->exhaustive)
        return "--exhaustive is about one cluster: over several a bound says how far the best plan "
               "is from any other";
    if (args->nearest)
        return "--nearest is about one cluster: no measured run over several is compared";
    return NULL;
}

/* What does not go together; NULL when all does. */
static const char *conflict(const struct search_args *args, const struct search_grid *grid)
{
    const bool several = grid->problems > 1;
    const bool more = args->all || args->why || args->sensitivity || args->pareto || args->sort ||
                      args->where || args->state || args->run.tokens;
    if (has_system(grid, true) && beside_clusters(args)) return beside_clusters(args);
    if (args->layerwise && (args->top || args->exhaustive || args->nearest || args->explain))
        return "--layerwise answers with one plan, by a search of its own: leave --top, "
               "--exhaustive, --nearest and --explain out";
    if (args->launchable && has_system(grid, false))
        return "--launchable is of several clusters: of one, plans that the framework cannot start "
               "are left out in any case (--unstartable takes them in)";
    if (args->layerwise && (several || more))
        return "--layerwise is about one problem and the time alone: give one model, system, size "
               "and batch, and no --all, --pareto, --why, --sensitivity, --sort, --where, "
               "--tokens or --state (reckon predict --plan takes --tokens)";
    if (args->why && (args->sort || !begins_with_time(args->pareto)))
        return "--why is about the time, and the first row of another order is not the fastest: "
               "leave --sort out, and put time first in --pareto";
    if (several && !args->run.tokens && search_machines_orders(args->sort) &&
        strcmp(args->sort, "measured") != 0)
        return "--sort by price, power, energy or cost_per_trillion is of a run: give --tokens, "
               "15T or usual";
    if (several && (args->save.plan || args->save.script))
        return "--save-plan and --save-script take the best plan of one problem: give one model, "
               "system, size and batch";
    if (several && (args->all || args->why || args->sensitivity || args->pareto))
        return "--all, --pareto, --why and --sensitivity are about one problem: give one model, "
               "system, size and batch";
    return NULL;
}

/* All that can be wrong before anything is searched. */
static enum rk_status check(const struct search_args *args, const struct search_grid *grid,
                            struct rk_error *error)
{
    const char *why = conflict(args, grid);
    if (why) return rk_fail(error, RK_BAD_ARGUMENT, NULL, 0, 0, "%s", why);
    if (args->all && search_all_check(args->all, error) != RK_OK) return error->status;
    enum rk_status status = RK_OK;
    for (size_t i = 0; i < grid->problems && status == RK_OK; i++) {
        const struct grid_problem at = search_grid_at(grid, i);
        struct search_args own = *args;
        struct search search = {.args = &own};
        struct search_keys keys;
        if (grid->problems > 1 && search_machines_orders(own.sort)) own.sort = NULL;
        status = search_set(&search, at.model, at.system, at.gpus, at.batch, error);
        if (status == RK_OK) status = search_keys_open(&search, &keys, error);
        const enum rk_framework framework = search.problem.base.framework;
        if (status == RK_OK) status = save_check(&args->save, framework, error);
        if (status == RK_OK && args->launchable && framework != RK_MEGATRON)
            status = rk_fail(error, RK_BAD_ARGUMENT, NULL, 0, 0,
                             "--launchable is of plans that Megatron-LM launches: leave the "
                             "framework out");
    }
    return status;
}

static int run(const struct search_grid *grid, const struct search_args *args)
{
    struct search_session session = {.searches = 0};
    struct rk_error error;
    if (args->state &&
        state_file_open(&session.state, args->state, search_speaks(), &error) != RK_OK) {
        state_file_close(&session.state);
        return options_fail(&error);
    }
    progress_start(&session.progress, "plans");
    const int code =
        grid->problems > 1 ? search_table(grid, args, &session) : search_one(grid, args, &session);
    progress_end(&session.progress);
    if (code == RK_OK || code == RK_NOTHING_FITS) state_file_remove(&session.state);
    state_file_close(&session.state);
    return code;
}

int cmd_search(int argc, char **argv)
{
    struct search_args args = SEARCH_ARGS_INIT;
    struct search_grid grid;
    struct rk_error error;
    const int done = options_read(&search_usage, argc, argv, &args);
    if (done >= 0) return done;
    enum rk_status status = search_grid_open(&grid, &args, &error);
    if (status == RK_OK) status = check(&args, &grid, &error);
    const int code = status == RK_OK ? run(&grid, &args) : options_fail(&error);
    search_grid_release(&grid);
    return code;
}
