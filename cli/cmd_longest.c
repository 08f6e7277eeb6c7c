/* reckon longest: the longest sequence that can be trained, for each number of GPUs. */
#include "base/memory.h"
#include "cli/commands.h"
#include "cli/offload_rules.h"
#include "cli/plan_input.h"
#include "cli/show.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_GPUS = 32, MOST_TOKENS = 1 << 30 };

struct longest_args {
    struct plan_source source;
    struct option_values gpus;
    uint64_t step;
    bool no_lengths;
    const char *output;
    struct show_args show;
};

#define AT(member) .offset = offsetof(struct longest_args, member)

/* clang-format off */
static const struct operand longest_operands[] = {
    {.name = "MODEL", .help = "what is trained: an id of `reckon models` or a file", AT(source.model), .complete = "models"},
    {.name = "SYSTEM", .help = "the machine: an id of `reckon systems`, a file, or a description in one line; with a second memory, as mem2=250GB@12GB/s, layers can be swapped", AT(source.system), .complete = "systems"},
    {.name = "PLAN", .help = "words of a plan that all candidates keep, as precision=fp16",
     .offset = offsetof(struct longest_args, source.words), .optional = OPERAND_MANY, .complete = "plan"},
    {.name = NULL},
};
static const struct option input_options[] = {
    {.letter = 'm', .name = "model", .type = OPTION_TEXT, .argument = "MODEL", AT(source.model), .complete = "models",
     .help = "the same as MODEL"},
    {.letter = 's', .name = "system", .type = OPTION_TEXT, .argument = "SYSTEM", AT(source.system), .complete = "systems",
     .help = "the same as SYSTEM"},
    {.letter = 'p', .name = "plan", .type = OPTION_TEXT, .argument = "FILE|WORDS", AT(source.file), .complete = "file",
     .help = "a plan file or words that all candidates keep, beside PLAN"},
    {.name = NULL},
};
static const struct option longest_options[] = {
    {.letter = 'g', .name = "gpus", .type = OPTION_VALUES, AT(gpus), .argument = "N,N", .min = 1, .max = 65536,
     .help = "numbers of GPUs (8; of a range, its powers of two)"},
    {.name = "step", .type = OPTION_NUMBER, AT(step), .argument = "TOKENS", .min = 1, .max = MOST_TOKENS,
     .help = "lengths are multiples of it (32768)"},
    {.name = "no-lengths", .type = OPTION_FLAG, AT(no_lengths),
     .help = "without the table of what can be achieved at each length"},
    {.letter = 'o', .name = "output", .type = OPTION_TEXT, .argument = "FILE", AT(output), .complete = "file",
     .help = "write to FILE instead of standard output (-); it appears whole or not at all"},
    {.name = NULL},
};

const struct usage longest_usage = {
    .name = "longest",
    .summary = "the longest sequence that can be trained, for each number of GPUs",
    .synopsis = "[--model] MODEL [--system] SYSTEM [options] [PLAN]...",
    .description =
        "Bisects the length of a sequence, one at a time, over every candidate: tensor, context (ring and Ulysses), data and pipeline degrees that "
        "make up the GPUs, ZeRO 1 and 3, the loss in chunks; layers kept, computed again whole, through two "
        "buffers with the best share offloaded [zhao2025memo], or in chunks of 64 Ki tokens [yao2024fpdt]. What is printed was predicted to fit, and every candidate was predicted not to "
        "fit at one step more: `limit` says which memory was too small.\n\n"
        "A second table has, at each length, the best MFU of four kinds of plan: two buffers; Megatron-LM's with whole "
        "layers computed again or kept; DeepSpeed's, Ulysses and ZeRO-3, computed again; the same in chunks of the sequence. "
        "Those of Megatron-LM and DeepSpeed are without the loss in chunks, which they had not. MFU counts 6 P + 6 n h s FLOP a token: half of the "
        "scores, as causal attention has.",
    .operands = longest_operands,
    .words_title = "Words of a plan",
    .words = plan_words,
    .groups = {
        {"Input", input_options, 0},
        {"Lengths", longest_options, 0},
        {"Form", show_options, offsetof(struct longest_args, show)},
        {"General", options_help_rows, 0},
    },
    .examples = {
        {"reckon longest memo-7b \"a800-sxm4-80g mem2=250GB@12GB/s\" --gpus 8", "How long on one node?"},
        {"reckon longest llama3.1-70b \"h100-sxm5-80g mem2=250GB@25GB/s\" --gpus 64,128", "... on eight and sixteen?"},
    },
    .see_also = "reckon-offload(1), reckon-predict(1)",
};
/* clang-format on */

/* ---- candidates ---- */

enum family { SWAPPED, MEGATRON, DEEPSPEED, CHUNKED, FAMILIES };

struct candidate {
    struct rk_plan plan; /* but for its sequence and shares */
    enum family family;
};

struct problem {
    const struct rk_model *model;
    const struct rk_system *system;
    struct rk_plan words; /* what the user fixed */
    uint64_t gpus, step;
    int candidates;
    struct candidate candidate[4096];
    struct rk_prediction prediction;
};

static void add_candidate(struct problem *p, const struct rk_plan *plan, enum family family)
{
    const int most = (int)(sizeof p->candidate / sizeof *p->candidate);
    if (p->candidates < most) p->candidate[p->candidates++] = (struct candidate){*plan, family};
}

/* One split of the GPUs, treated in all ways. DeepSpeed's has heads over Ulysses ranks, ZeRO-3, and
 * whole layers computed again. */
static void add_split(struct problem *p, uint64_t tensor, uint64_t pipeline, uint64_t data,
                      enum rk_context_kind kind)
{
    struct rk_plan plan = p->words;
    plan.ranks = p->gpus;
    plan.tensor = tensor;
    plan.pipeline = pipeline;
    plan.context = p->gpus / tensor / pipeline / data;
    plan.context_kind = kind;
    plan.sequence_parallel = tensor > 1;
    plan.microbatch = 1;
    plan.batch = pipeline * data;
    plan.expert = p->model->experts ? p->words.expert : 1;
    for (plan.zero = 1; plan.zero <= 3; plan.zero += 2) {
        plan.gradient_overlap = plan.weight_overlap = true;
        plan.framework = RK_MEGATRON;
        plan.recompute = RK_KEEP;
        plan.loss_in_chunks = true;
        plan.recompute_rest = p->system->memories > 1;
        if (plan.recompute_rest) add_candidate(p, &plan, SWAPPED);
        plan.recompute_rest = plan.loss_in_chunks = false;
        add_candidate(p, &plan, MEGATRON);
        plan.recompute = RK_WHOLE;
        add_candidate(p, &plan, MEGATRON);
        plan.framework = RK_DEEPSPEED;
        if (tensor > 1 || pipeline > 1 || plan.zero < 3 || (kind != RK_ULYSSES && plan.context > 1))
            continue;
        add_candidate(p, &plan, DEEPSPEED);
        plan.loss_in_chunks = true;
        if (p->system->memories > 1) add_candidate(p, &plan, CHUNKED);
    }
}

static void list_candidates(struct problem *p)
{
    p->candidates = 0;
    for (uint64_t pipeline = 1; pipeline <= 8; pipeline *= 2)
        for (uint64_t tensor = 1; tensor <= 16; tensor *= 2)
            for (uint64_t data = 1; data * tensor * pipeline <= p->gpus; data *= 2) {
                if (p->gpus % (tensor * pipeline * data)) continue;
                add_split(p, tensor, pipeline, data, RK_RING);
                if (p->gpus > tensor * pipeline * data)
                    add_split(p, tensor, pipeline, data, RK_ULYSSES);
            }
}

/* ---- does it fit? ---- */

enum { CHUNK_TOKENS = 65536 }; /* --ds-sequence-parallel-fpdt-chunk-size, unless it is given */

/* Chunks of that many tokens, or fewer where that divides the tokens of a rank; the layers' inputs
 * go to the host. */
static void settle_chunks(struct rk_plan *plan)
{
    const uint64_t tokens = plan->sequence / plan->context;
    uint64_t chunks = (plan->sequence + CHUNK_TOKENS - 1) / CHUNK_TOKENS;
    while (chunks < tokens && tokens % chunks)
        chunks++;
    plan->sequence_chunks = chunks;
    rk_plan_offload_activations(plan, 1);
}

/* Settles share or chunks, if there are any, and predicts; true when it fits. */
static bool fits(struct problem *p, const struct candidate *c, uint64_t tokens,
                 struct rk_plan *plan)
{
    *plan = c->plan;
    plan->sequence = tokens;
    if (c->family == CHUNKED) settle_chunks(plan);
    rk_predict(p->model, p->system, plan, &p->prediction);
    if (!p->prediction.timed) return false;
    if (plan->recompute_rest) {
        const struct rk_swap swap = rk_swap_of_plan(p->model, p->system, plan);
        const double share = rk_swap_share_best(&swap);
        if (share > 0) rk_plan_offload_activations(plan, share * (1 - 1e-12));
        rk_predict(p->model, p->system, plan, &p->prediction);
    }
    return p->prediction.verdict == RK_FITS;
}

/* The longest of one candidate, in steps; 0: not even one. */
static uint64_t longest_of(struct problem *p, const struct candidate *c)
{
    struct rk_plan plan;
    uint64_t good = 0, bad = 1;
    while (bad * p->step <= MOST_TOKENS && fits(p, c, bad * p->step, &plan)) {
        good = bad;
        bad *= 2;
    }
    while (bad - good > 1) {
        const uint64_t middle = good + (bad - good) / 2;
        if (fits(p, c, middle * p->step, &plan))
            good = middle;
        else
            bad = middle;
    }
    return good;
}

/* The fastest that fits at a length, of one family or (FAMILIES) all; false: none. */
static bool fastest_at(struct problem *p, uint64_t tokens, enum family family, struct rk_plan *best,
                       struct rk_outcome *outcome)
{
    bool found = false;
    for (int i = 0; i < p->candidates; i++) {
        struct rk_plan plan;
        if (family != FAMILIES && p->candidate[i].family != family) continue;
        if (!fits(p, &p->candidate[i], tokens, &plan)) continue;
        const double samples = p->prediction.samples_per_s;
        if (found && samples <= outcome->samples_per_s) continue;
        found = true;
        *best = plan;
        *outcome = p->prediction.outcome;
    }
    return found;
}

/* ---- tables ---- */

/* clang-format off */
static const struct report_column longest_columns[] = {
    {.name = "gpus", .title = "GPUs"},
    {.name = "tokens"},
    {.name = "step_s", .unit = "s", .digits = 2, .own_scale = true},
    {.name = "mfu_causal", .title = "MFU", .unit = "%", .digits = 1},
    {.name = "hbm_bytes", .title = "GPU", .unit = "B", .digits = 1},
    {.name = "offload_bytes", .title = "lower tiers", .unit = "B", .digits = 1},
    {.name = "candidates"},
    {.name = "next_tokens", .title = "not"},
    {.name = "limit"},
    {.name = "plan"},
};
static const struct report_column length_columns[] = {
    {.name = "gpus", .title = "GPUs"},
    {.name = "tokens"},
    {.name = "mfu_two_buffers", .title = "two buffers", .unit = "%", .digits = 1},
    {.name = "mfu_megatron", .title = "megatron", .unit = "%", .digits = 1},
    {.name = "mfu_deepspeed", .title = "deepspeed", .unit = "%", .digits = 1},
    {.name = "mfu_chunks", .title = "chunks", .unit = "%", .digits = 1},
    {.name = "over_megatron", .digits = 3}, {.name = "over_deepspeed", .digits = 3},
    {.name = "bar", .title = "", .bar = REPORT_BAR_SHARE},
    {.name = "plan"},
};
static const struct report_column gain_columns[] = {
    {.name = "gpus", .title = "GPUs"},
    {.name = "over"},
    {.name = "lengths", .title = "both run"},
    {.name = "mean_gain", .title = "mean gain", .digits = 3},
    {.name = "all_lengths", .title = "lengths"},
    {.name = "gain_of_means", .title = "of means, 0 where it does not fit", .digits = 3},
};
/* clang-format on */
enum {
    LONGEST_COLUMNS = sizeof longest_columns / sizeof *longest_columns,
    LENGTH_COLUMNS = sizeof length_columns / sizeof *length_columns,
    GAIN_COLUMNS = sizeof gain_columns / sizeof *gain_columns
};

/* Of two buffers over the other kinds, at the lengths of a number of GPUs. */
struct gains {
    int lengths, both[FAMILIES];
    double sum[FAMILIES], ratios[FAMILIES];
};

static const char *plan_text(struct report *report, const struct rk_plan *plan)
{
    char *text = report_alloc(report, RK_PLAN_TEXT);
    if (text) rk_plan_text(plan, text, RK_PLAN_TEXT);
    return text ? text : "";
}

/* Which memory is too small at `tokens`, by the candidate that is nearest to fitting. */
static const char *limit_at(struct problem *p, uint64_t tokens)
{
    const char *name = "no candidate can split it";
    double nearest = INFINITY;
    for (int i = 0; i < p->candidates; i++) {
        struct rk_plan plan;
        if (fits(p, &p->candidate[i], tokens, &plan) || !p->prediction.timed) continue;
        const struct rk_reason *reason = &p->prediction.reason[0];
        const double over = reason->have > 0 ? reason->need / reason->have : INFINITY;
        if (p->prediction.verdict != RK_MEMORY_EXCEEDED || over >= nearest) continue;
        nearest = over;
        name = p->system->memory[reason->tier].name;
    }
    return name;
}

/* Steps of each family and, last, of all; 0: none. */
static void find_longest(struct problem *p, uint64_t most[FAMILIES + 1])
{
    memset(most, 0, (FAMILIES + 1) * sizeof *most);
    for (int i = 0; i < p->candidates; i++) {
        const uint64_t steps = longest_of(p, &p->candidate[i]);
        uint64_t *own = &most[p->candidate[i].family];
        if (steps > *own) *own = steps;
        if (steps > most[FAMILIES]) most[FAMILIES] = steps;
    }
}

static void add_longest(struct problem *p, struct report *report, struct report_table *table,
                        uint64_t steps)
{
    struct rk_plan plan;
    struct rk_outcome o;
    const uint64_t tokens = steps * p->step, next = tokens + p->step;
    const bool found = steps > 0 && fastest_at(p, tokens, FAMILIES, &plan, &o);
    struct rk_prediction mfu = {.stages = 0};
    if (found) mfu.outcome = o;
    report_row(
        report, table,
        (struct report_cell[LONGEST_COLUMNS]){
            cell_count(p->gpus), cell_count(tokens), found ? cell_number(o.step_s) : cell_none(),
            found ? cell_number(offload_mfu_causal(p->model, &plan, &mfu)) : cell_none(),
            found ? cell_number(o.hbm_bytes) : cell_none(),
            found ? cell_number(o.offload_bytes) : cell_none(), cell_count((uint64_t)p->candidates),
            cell_count(next), cell_text(limit_at(p, next)),
            found ? cell_text(plan_text(report, &plan)) : cell_none()});
}

static void note_gains(struct gains *g, const double mfu[FAMILIES])
{
    g->lengths++;
    for (enum family family = 0; family < FAMILIES; family++) {
        const bool both = mfu[SWAPPED] > 0 && mfu[family] > 0;
        g->sum[family] += mfu[family];
        g->both[family] += both;
        if (both) g->ratios[family] += mfu[SWAPPED] / mfu[family];
    }
}

static void add_gains(const struct problem *p, struct report *report, struct report_table *table,
                      const struct gains *g)
{
    static const char *const names[] = {
        [MEGATRON] = "megatron", [DEEPSPEED] = "deepspeed", [CHUNKED] = "chunks"};
    for (enum family family = MEGATRON; family < FAMILIES; family++) {
        if (!g->both[family]) continue;
        report_row(
            report, table,
            (struct report_cell[GAIN_COLUMNS]){cell_count(p->gpus), cell_text(names[family]),
                                               cell_count((uint64_t)g->both[family]),
                                               cell_number(g->ratios[family] / g->both[family]),
                                               cell_count((uint64_t)g->lengths),
                                               cell_number(g->sum[SWAPPED] / g->sum[family])});
    }
}

static void add_length(struct problem *p, struct report *report, struct report_table *table,
                       uint64_t tokens, double mfu[FAMILIES])
{
    double best = 0;
    const char *text = NULL;
    memset(mfu, 0, FAMILIES * sizeof *mfu);
    for (enum family family = 0; family < FAMILIES; family++) {
        struct rk_plan plan;
        struct rk_prediction found = {.stages = 0};
        if (!fastest_at(p, tokens, family, &plan, &found.outcome)) continue;
        mfu[family] = offload_mfu_causal(p->model, &plan, &found);
        if (mfu[family] <= best) continue;
        best = mfu[family];
        text = plan_text(report, &plan);
    }
#define OF(value) (value > 0 ? cell_number(value) : cell_none())
    const double a = mfu[SWAPPED], b = mfu[MEGATRON], c = mfu[DEEPSPEED];
    report_row(report, table,
               (struct report_cell[LENGTH_COLUMNS]){
                   cell_count(p->gpus), cell_count(tokens), OF(a), OF(b), OF(c), OF(mfu[CHUNKED]),
                   a > 0 && b > 0 ? cell_number(a / b) : cell_none(),
                   a > 0 && c > 0 ? cell_number(a / c) : cell_none(), cell_number(best),
                   cell_text(text)});
}

/* A row for each power of two and where each family ends. Gains are means over the former and the
 * longest of two buffers. */
static void add_lengths(struct problem *p, struct report *report, struct report_table *table,
                        const uint64_t most[FAMILIES + 1], struct gains *gains)
{
    for (uint64_t at = 0, next; at < most[FAMILIES]; at = next) {
        double mfu[FAMILIES];
        uint64_t power = 1;
        while (power <= at)
            power *= 2;
        next = power;
        for (int family = 0; family < FAMILIES; family++)
            if (most[family] > at && most[family] < next) next = most[family];
        add_length(p, report, table, next * p->step, mfu);
        if ((next == power && next <= most[SWAPPED]) || next == most[SWAPPED])
            note_gains(gains, mfu);
    }
}

static struct report_table *add_table(struct report *report, const char *name, const char *title,
                                      const struct report_column *columns, int count, bool csv)
{
    return report_list(report, name, title,
                       REPORT_IN_TEXT | REPORT_IN_JSON | (csv ? REPORT_IN_CSV : 0), columns, count);
}

/* ---- the command ---- */

/* Numbers of GPUs: of a range, its powers of two. */
static int gpus_of(const struct longest_args *args, uint64_t gpus[MOST_GPUS])
{
    int count = 0;
    for (int i = 0; i < args->gpus.count; i++) {
        const uint64_t low = args->gpus.range[i].low, high = args->gpus.range[i].high;
        if (low == high && count < MOST_GPUS) gpus[count++] = low;
        for (uint64_t n = 1; low < high && n <= high && count < MOST_GPUS; n *= 2)
            if (n >= low) gpus[count++] = n;
    }
    if (!count) gpus[count++] = 8;
    return count;
}

static bool answer(const struct longest_args *args, struct problem *p, struct report *report)
{
    uint64_t gpus[MOST_GPUS], steps[MOST_GPUS][FAMILIES + 1];
    const int count = gpus_of(args, gpus);
    bool any = false;
    struct report_table *table = add_table(report, "longest", "The longest sequence",
                                           longest_columns, LONGEST_COLUMNS, true);
    for (int i = 0; i < count; i++) {
        p->gpus = gpus[i];
        list_candidates(p);
        find_longest(p, steps[i]);
        any |= steps[i][FAMILIES] > 0;
        add_longest(p, report, table, steps[i][FAMILIES]);
    }
    if (args->no_lengths) return any;
    table = add_table(report, "lengths", "MFU over length, the best plan of each kind",
                      length_columns, LENGTH_COLUMNS, false);
    struct report_table *means =
        add_table(report, "gains", "What two buffers gain", gain_columns, GAIN_COLUMNS, false);
    for (int i = 0; i < count; i++) {
        p->gpus = gpus[i];
        list_candidates(p);
        struct gains gains = {.lengths = 0};
        add_lengths(p, report, table, steps[i], &gains);
        add_gains(p, report, means, &gains);
    }
    return any;
}

/* Words that candidates choose themselves: they would be outdone without a word. */
static enum rk_status check_words(const struct plan_draft *draft, struct rk_error *error)
{
    static const char *const chosen[] = {
        "gpus",
        "tensor",
        "pipeline",
        "context",
        "microbatch",
        "batch",
        "sequence",
        "zero",
        "recompute",
        "sequence_parallel",
        "context_kind",
        "framework",
        "sequence_chunks",
    };
    for (size_t i = 0; i < sizeof chosen / sizeof *chosen; i++)
        if (plan_given(draft, chosen[i]))
            return rk_fail(error, RK_USAGE, NULL, 0, 0,
                           "the words say %s, which reckon longest chooses itself (--gpus N are "
                           "its GPUs): leave it out; reckon offload and fits take one plan",
                           chosen[i]);
    if (draft->data)
        return rk_fail(error, RK_USAGE, NULL, 0, 0,
                       "the words say data, and every candidate has 1: leave it out");
    return RK_OK;
}

int cmd_longest(int argc, char **argv)
{
    struct longest_args args = {.step = 32768};
    struct plan_input input = {.assumed = ""};
    struct report report = {.first = NULL};
    struct rk_error error;
    plan_words_prepare();
    const int done = options_read(&longest_usage, argc, argv, &args);
    if (done >= 0) return done;
    struct problem *problem = calloc(1, sizeof *problem);
    enum rk_status status = problem ? plan_gather(&args.source, &input, &error) : no_memory(&error);
    if (status == RK_OK) status = check_words(&input.draft, &error);
    int code = (int)status;
    if (status == RK_OK) {
        problem->model = &input.model;
        problem->system = &input.system;
        problem->words = input.draft.plan;
        problem->step = args.step;
        const bool any = answer(&args, problem, &report);
        code = show_report(&report, &args.show, args.output, any ? RK_OK : RK_NOTHING_FITS);
    } else {
        code = options_fail(&error);
    }
    report_release(&report);
    plan_input_release(&input);
    free(problem);
    return code;
}
