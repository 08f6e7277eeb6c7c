/* reckon search: the best plans of all there are. */
#include "base/text.h"
#include "base/threads.h"
#include "cli/commands.h"
#include "cli/pages.h"
#include "cli/plan_input.h"
#include "cli/questions.h"
#include "cli/search_all.h"
#include "cli/search_clusters.h"
#include "cli/search_layerwise.h"
#include "cli/search_select.h"
#include "cli/search_table.h"
#include "facts/headroom.h"
#include "text/output.h"

#include <string.h>

#define AT(member) .offset = offsetof(struct search_args, member)

enum { MOST_ROWS = 1000000, USUAL_TOP = 10 };

static const char *const framework_names[] = {"megatron", "fsdp", "deepspeed", "calculon", NULL};

/* clang-format off */
static const struct operand search_operands[] = {
    {.name = "PLAN", .help = "words of what all plans have, \"tp8 cuda-graphs imbalance=1.2\"; below are all",
     .offset = offsetof(struct search_args, words), .optional = OPERAND_MANY, .complete = "plan"},
    {.name = NULL},
};
static const struct option input_options[] = {
    {.letter = 'm', .name = "model", .type = OPTION_TEXTS, .argument = "MODEL", AT(models), .complete = "models",
     .help = "what is trained: an id of `reckon models`, a file, or - (standard input); several with commas, or repeated"},
    {.letter = 's', .name = "system", .type = OPTION_TEXTS, .argument = "SYSTEM", AT(systems), .complete = "systems",
     .help = "the machine: an id of `reckon systems`, a file, -, or a description in one line, \"h100-80g x4096 nvl8 hbm=120GiB\"; several with commas (ids and files), or repeated"},
    {.name = NULL},
};
static const struct option size_options[] = {
    {.letter = 'g', .name = "gpus", .type = OPTION_TEXT, .argument = "N", AT(gpus),
     .help = "accelerators in use: a number, a list (512,1024) or a range (1024..16384; see SIZES)"},
    {.letter = 'b', .name = "batch", .type = OPTION_TEXT, .argument = "N", AT(batch),
     .help = "samples of one step, over all GPUs: a number, a list or a range"},
    {.name = "sequence", .type = OPTION_NUMBER, .argument = "TOKENS", AT(sequence), .min = 1,
     .help = "tokens of a sample (the model's)"},
    {.name = NULL},
};
static const struct option framework_options[] = {
    {.letter = 'p', .name = "plan", .type = OPTION_TEXT, .argument = "FILE|WORDS", AT(plan), .complete = "file",
     .help = "what all plans have: words, \"tp8 cuda-graphs\", or what a plan file says beside its size"},
    {.name = "framework", .type = OPTION_CHOICE, .choices = framework_names, .argument = "NAME", AT(framework),
     .help = "whose habits decide what is stored and overlapped: megatron, fsdp or deepspeed; calculon asks for the published model (megatron, where the system says something of its kernels, else calculon)"},
    {.name = NULL},
};
static const struct option search_options[] = {
    {.letter = 'k', .name = "top", .type = OPTION_NUMBER, AT(top), .argument = "K", .min = 1, .max = MOST_ROWS,
     .help = "how many of the best to print, up to 1,000,000 (10; of a frontier all)"},
    {.letter = 'j', .name = "threads", .type = OPTION_NUMBER, AT(threads), .min = 1, .max = MOST_THREADS,
     .help = "threads to search with (all cores); the answer is the same for any number"},
    {.name = "exhaustive", .type = OPTION_FLAG, AT(exhaustive),
     .help = "time every plan that fits, instead of settling groups by proof; the same answer"},
    {.name = "unstartable", .type = OPTION_FLAG, AT(unstartable),
     .help = "also plans that the framework refuses at its start: interleaved stages that the microbatches do not fill, zero-bubble in Megatron-LM, DeepSpeed's pipelines (docs/search.md has all)"},
    {.name = "launchable", .type = OPTION_FLAG, AT(launchable),
     .help = "over several clusters, find only plans that Megatron-LM launches as one job: 1F1B, and all stages alike but for their layers; without it the first lines name the best of these beside the best of all"},
    {.name = "layerwise", .type = OPTION_FLAG, AT(layerwise),
     .help = "let each layer have its own tensor and context degree, ZeRO, recomputation and offload, on uneven stages (docs/layerwise.md)"},
    {.name = "state", .type = OPTION_OUTPUT, .argument = "FILE", AT(state), .complete = "file",
     .help = "keep how far the search is in FILE and, when FILE is there, go on from it; removed when all is done"},
    {.name = "explain", .type = OPTION_FLAG, AT(explain),
     .help = "say on standard error by which argument the plans were settled"},
    {.letter = 'q', .name = "quiet", .type = OPTION_FLAG, AT(quiet),
     .help = "say nothing on standard error unless something is wrong"},
    OPTION_OUTPUT_ROW(AT(output)),
    {.name = NULL},
};
static const struct option question_options[] = {
    {.name = "where", .type = OPTION_TEXT, .argument = "CONDITION", AT(where),
     .help = "only plans that satisfy it, such as 'hbm <= 60GiB and tensor <= 8' (see EXPRESSIONS)"},
    OPTION_HEADROOM_ROW(AT(headroom)),
    {.name = "sort", .type = OPTION_TEXT, .argument = "EXPRESSION", AT(sort),
     .help = "the best by this instead of the time: the least, or the most of a rate or an efficiency"},
    {.name = "pareto", .type = OPTION_TEXT, .argument = "LIST", AT(pareto),
     .help = "the frontier of several expressions, time,hbm,mem2: all plans than which no other is better in everything"},
    {.name = "all", .type = OPTION_OUTPUT, .argument = "FILE", AT(all), .complete = "file",
     .help = "write every plan that fits, and satisfies --where, to FILE: .csv, .csv.gz or .sqlite"},
    {.name = "why", .type = OPTION_FLAG, AT(why),
     .help = "what misses by least, and which single change would admit a plan; without being asked when nothing fits"},
    {.name = "nearest", .type = OPTION_FLAG, AT(nearest),
     .help = "also the measured runs of three sources that are most like the best plan, with what was predicted of them; --format json has them in any case"},
    {.name = "sensitivity", .type = OPTION_FLAG, AT(sensitivity),
     .help = "how the best time depends on each rate, bandwidth, efficiency, latency and capacity: what to improve first"},
    {.name = NULL},
};

const struct usage search_usage = {
    .name = "search",
    .summary = "the best plans of all there are",
    .synopsis = "--model MODEL --system SYSTEM --gpus N --batch N [options] [PLAN]...",
    .description =
        "Goes through every plan for one model on one machine: all splits over tensor, context, "
        "pipeline, expert and data parallelism, microbatches, uneven stages, schedules that the "
        "framework can start, ZeRO 0 to 3 and hybrid sharding, recomputation by part or of the first "
        "layers, kinds and overlap of communication, offload. Prints the best ones, what launches "
        "the best, how many plans there were, how many can run, and why the others cannot.\n\n"
        "Plans are judged by the model of today's plans, reckon-predict(1), or by the published one "
        "(--framework calculon); the first line of an answer says which. The published one is also "
        "taken, with the reason in the first line, where the system says nothing of its kernels.\n\n"
        "Ties are broken by the position in the enumeration, so that the answer is always the same. "
        "How long the search took is said on standard error, and how long all of it, with "
        "preparation and what is asked beyond the best plans.\n\n"
        "Several models, systems, numbers of GPUs or batches are all searched with each other: a "
        "table with one row a problem and its best plan, or why it has none.\n\n"
        "SIGINT ends the search with the best plans so far, marked as incomplete, and exit "
        "status 130; SIGTERM likewise with 143. With --state FILE the same command goes on where "
        "it was stopped, by a signal or by anything else, to the same answer; FILE is removed when "
        "the answer is complete. When nothing fits, the exit status is 1; of several problems, when "
        "none has a plan.",
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
        {"Restrictions: a value, a list (8,16) or a range (1..64); usual values by default, see PLANS",
         plan_axes_options, offsetof(struct search_args, axes), true},
        {"Form", show_options, offsetof(struct search_args, show)},
        {"General", options_help_rows, 0},
    },
    .sections = {
        {"SIZES",
         "Where a number of GPUs or a batch stands, a list with commas and ranges may stand. "
         "LOW..HIGH doubles from LOW as far as HIGH; LOW..HIGHxF multiplies by F, LOW..HIGH+S adds "
         "S. B^E is a power. 1024..16384 and 2^10..2^14 are both 1024, 2048, 4096, 8192, 16384."},
        {"PLANS",
         "--batch is the batch of every plan: it is a multiple of data times microbatch. An axis that "
         "is not restricted takes its usual values: tensor the divisors of the heads within two of the "
         "innermost network domains; context as long as a rank keeps 2,048 tokens; pipeline up to the "
         "layers; expert the divisors of the experts, with expert-tensor 1 or as tensor; microbatch up "
         "to 64; chunks powers of two and what divides the layers, up to 16; recomputation none, full "
         "(of all layers or the first 1, 2, 4, ... of a virtual stage) and sets of parts; ZeRO what the "
         "framework has, over all ranks or within a node; offload where there is a second memory; "
         "splits even, with embedding and head as a block each, and balanced by time. Precision, "
         "dispatcher and overlaps are as the framework has them, the attention kernel as it takes it on the "
         "device; experts of Megatron-LM with expert-overlap, too, where it starts that. What is left out and would "
         "make the best plan faster stands under the counts. Plans that it "
         "refuses at its start are left out, unless --unstartable or a value that only they have asks for "
         "them; --why says what they would gain. docs/search.md has them all.\n\n"
         "A restriction is on the value of an axis where the axis means something: --schedule "
         "zero-bubble leaves plans without a pipeline alone. Values that are unusual are searched when "
         "they are asked for. --recompute takes none, full and selective (core_attn), "
         "--recompute-parts what else selective may be. Words of a plan, as reckon predict takes them, "
         "restrict an axis to one value or say what all plans have: imbalance=1.2 cuda-graphs no-fused.\n\n"
         "With --framework calculon the batch is the largest multiple of the data degree up to --batch, "
         "the activation is fused unless --fused says otherwise, and the axes are those of [isaev2023]: "
         "tensor, pipeline, data, microbatch, precision, recompute, chunks, zero 0 and 1, overlaps, "
         "offload to any tier, tensor-comm, regather, fused, and the network of each parallelism."},
        {"SEVERAL CLUSTERS",
         "A system may be several clusters with a link between them, \"h100-sxm5-80g x64 + "
         "a100-sxm4-80g x64 link=100Gb/s@50us\", reckon-system(5). Then the pipeline runs through "
         "clusters of unequal GPUs or networks: which clusters, in which order, how many layers and "
         "nodes each stage gets, its tensor, context, expert and data degrees, recomputation and "
         "offload, how many samples go through at a time; nodes may be left idle, and so may a "
         "cluster. Tensor, context, data and expert groups stay in a stage, and a stage in a cluster, "
         "but for the whole model in one stage with replicas on several.\n\n"
         "The search is exact for its objective, sum of c + (m - 1) max c + what is waited for at the "
         "end; the event simulation then decides between the plans that were the best for some pace. "
         "Those are the plans that --top, --sort, --pareto and --all go through; --sort and --pareto "
         "also try a quarter, a half and three quarters of each cluster's nodes, and `step_usd` is "
         "the price of a step where every cluster has price=. A condition holds of a plan if it holds "
         "of each of its stages. All stages have the same precision, kernels, overlaps, ZeRO (1, with "
         "overlap, unless restricted) and schedule. docs/clusters.md.\n\n"
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
         "25GB/s) or be a share (mfu > 50%); a size needs its unit, but beside a full name (2*hbm_bytes) or one that is scaled by a "
         "thousand or more (hbm/1e9). An axis of words is compared with its words (recompute == none), an axis that is "
         "on or off with yes and no. A comparison is 1 or 0 in arithmetic.\n\n"
         "Less is better, but more of a rate or an efficiency that stands alone. Ties are broken by "
         "the position in the enumeration. --pareto takes up to eight expressions; of plans "
         "that are equal in all of them the first is kept."},
        {"WHY NOT",
         "When nothing fits, or with --why, two tables follow. The first has the plans that "
         "one limit alone refuses, for each memory and each network, those that miss by least first: "
         "what they need, and the time they would take. The second has single changes: more of each "
         "memory tier (or a second one at 100 GB/s where there is none), a larger domain of each "
         "network, each restriction left out, fewer or more GPUs, a smaller or larger batch; each "
         "the smallest that admits a plan, with that plan and its time. Each change was made and "
         "searched. Memory sizes are exact; of networks all sizes that can matter are tried; of "
         "GPUs the 16 nearest numbers of whole nodes on either side, the divisors of the number, and "
         "eighths between its doublings up to 1,024 times as many; of batches halves and doubles (with calculon also "
         "what lies between, by bisection). When something fits already, the aim is a plan with at least 1 % "
         "more samples per second, and sizes are left alone."},
        {"SENSITIVITY",
         "Each parameter of the machine is changed by +10 % and -10 %, one at a time, and the best "
         "plan searched again. The sensitivity is the relative change of the best time per "
         "relative change of the parameter: -0.7 says that 10 % more of it makes the best step about "
         "7 % shorter. Where one side is impossible (an efficiency above 1, a memory that nothing "
         "fits) it is that of the other side. What is unlimited or 0 is left out. With --sort or "
         "--pareto it is about the row printed first, whose plan is held as it is."},
    },
    .examples = {
        {"reckon search -m llama3.1-70b -s h100-sxm5-80g --gpus 64 --batch 256 --save-plan plan.json --save-script run.sh",
         "The ten best ways to train Llama 3.1 70B on 64 H100; keep the best, and what launches it:"},
        {"reckon search -m gpt3-175b -s a100-80g-nvl8 -g 1024 -b 1536 --framework calculon --tensor 8,16 --recompute none --top 3",
         "Only some of the plans, by the published model:"},
        {"reckon search -m llama3.1-70b -s h100-sxm5-80g -g 64 -b 256 --format csv > best.csv",
         "For a program:"},
        {"reckon search -m llama3.1-70b -s h100-sxm5-80g -g 64 -b 256 --where 'hbm <= 60GiB and tensor <= 8'",
         "With room to spare:"},
        {"reckon search -m llama3.1-70b -s h100-sxm5-80g -g 64 -b 256 --pareto time,hbm,mem2",
         "What time costs in memory:"},
        {"reckon search -m llama3.1-70b -s h100-sxm5-80g -g 64 -b 256 --all plans.sqlite",
         "All that can run, for questions of one's own:"},
        {"reckon search -m llama3.1-70b -b 256 -s \"h100-sxm5-80g x64 + a100-sxm4-80g x{32,64} link={25Gb/s,100Gb/s}@50us\"",
         "Is more of a second cluster worth it, and a faster link?"},
        {"reckon search -m deepseek-v3 -s h800-sxm5-80g -g 2048 -b 15360 --precision fp8-block --schedule dualpipe --tensor 1",
         "DeepSeek-V3 as its report has it, but for the degrees:"},
        {"reckon search -m megatron-1t -s a100-80g-nvl8 -g 64 -b 512",
         "Why can it not run, and what would help:"},
        {"reckon search -m llama3.1-70b -s h100-sxm5-80g -g 64 -b 256 --sensitivity",
         "What should be improved first:"},
        {"reckon search -m gpt3-175b,megatron-1t -s h100-80g-nvl8 -g 1024..16384 -b 3072",
         "How it scales:"},
        {"reckon search -m deepseek-v3 -s 'h800-sxm5-80g mem2=1TiB@50GB/s' -g 2048 -b 15360 --activation-shares all --unstartable --exhaustive --state search.state",
         "A long search, that can be stopped and goes on when the command is given again:"},
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
    return save_files(&search->args->save, search->problem.model, &plan, error);
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
    struct report report = {.first = NULL};
    struct rk_error error;
    if (!piped && search_report(&report, search, keys, &error) != RK_OK) options_fail(&error);
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
    if (wrote != RK_OK) code = options_fail(&error);
    if (save_best(search, &error) != RK_OK) code = options_fail(&error);
    report_release(&report);
    return code;
}

static int search_one(const struct search_grid *grid, const struct search_args *args,
                      struct search_session *session)
{
    const struct grid_problem at = search_grid_at(grid, 0);
    struct search search = {.args = args};
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

/* What does not go together; NULL when all does. */
static const char *conflict(const struct search_args *args, const struct search_grid *grid)
{
    const bool several = grid->problems > 1;
    const bool more = args->all || args->why || args->sensitivity || args->pareto || args->sort ||
                      args->where || args->state || args->run.tokens;
    if (args->layerwise && has_system(grid, true))
        return "--layerwise is about one cluster: over several each stage has choices of its own";
    if (args->unstartable && has_system(grid, true))
        return "--unstartable is about one cluster: over several all plans are searched, those "
               "too that no framework starts as one job (--launchable leaves them out)";
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
        struct search search = {.args = args};
        struct search_keys keys;
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
