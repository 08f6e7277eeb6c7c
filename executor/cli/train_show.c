#include "cli/train_show.h"

#include "cli/executor.h"

#include <math.h>
#include <reckon/offload.h>
#include <reckon/program.h>
#include <string.h>

/* ---- time ---- */

static const char *const part_names[] = {
#define NAME(part) #part,
    RK_TRAIN_PARTS(NAME)
#undef NAME
};

static double predicted_part(const struct rk_prediction *p, int part)
{
    const double parts[] = {p->matrix_s,
                            p->attention_s,
                            p->memory_s,
                            p->recompute_s,
                            p->tensor_s + p->context_s + p->expert_s,
                            0, /* ranks are alike */
                            p->pipeline_s + p->bubble_s,
                            p->data_s,
                            p->optimizer_s,
                            p->offload_s};
    return parts[part];
}

/* `clock` 0: ranks are processes, and processor time stands for it. */
static void add_row(struct report *report, struct report_table *table, const char *name,
                    double predicted, double clock, double processor, double wall)
{
    const double measured = clock > 0 ? clock : processor;
    REPORT_ROW(report, table, cell_text(name),
               predicted >= 0 ? cell_number(predicted) : cell_none(),
               clock > 0 ? cell_number(clock) : cell_none(),
               predicted > 0 && measured > 0 ? cell_number(predicted / measured - 1) : cell_none(),
               processor >= 0 ? cell_number(processor) : cell_none(), cell_number(wall));
}

/* Measured is what the virtual clock says, which other work on the machine does not move. `routed`:
 * the step that is predicted with the imbalance that the router brought; 0: none. */
static void show_result(struct report *report, const struct rk_prediction *predicted,
                        double routed_s, const struct rk_train_result *r)
{
    static const struct report_column columns[] = {
        {.name = "part"},
        {.name = "predicted_s", .title = "predicted", .unit = "s", .digits = 4},
        {.name = "clock_s",
         .title = "clock",
         .unit = "s",
         .digits = 4,
         .help = "the virtual clock: each piece of work with the least processor time of any step, "
                 "messages from the sender's clock on"},
        {.name = "off", .unit = "%", .digits = 1},
        {.name = "processor_s", .title = "processor", .unit = "s", .digits = 4},
        {.name = "passed_s", .title = "passed", .unit = "s", .digits = 4}};
    struct report_table *table =
        REPORT_LIST(report, "parts",
                    predicted ? "A step: predicted, and what was measured of the fastest"
                              : "A step: what was measured of the fastest",
                    REPORT_IN_ALL, columns);
    double processor = 0;
    for (int i = 0; i < RK_TRAIN_PARTS_COUNT; i++) {
        const double part = predicted ? predicted_part(predicted, i) : -1;
        if (!(part > 0) && !(r->part_wall_s[i] > 0) && !(r->part_clock_s[i] > 0)) continue;
        add_row(report, table, part_names[i], part, r->part_clock_s[i], r->part_cpu_s[i],
                r->part_wall_s[i]);
        processor += r->part_cpu_s[i];
    }
    add_row(report, table, "step", predicted ? predicted->step_s : -1, r->clock_s, processor,
            r->step_s);
    if (routed_s > 0)
        add_row(report, table, "step, as routed", routed_s, r->clock_s, processor, r->step_s);
    if (processor > 0 && r->step_s > 1.05 * fmax(r->clock_s, processor))
        report_note(
            report,
            report_text(report,
                        "The fastest step took %.2f times as long as its work: the machine is busy "
                        "otherwise, or has fewer processors than ranks.",
                        r->step_s / fmax(r->clock_s, processor)));
}

static bool is_of_layers(const char *part)
{
    return strcmp(part, "messages") != 0 && strcmp(part, "data") != 0 &&
           strcmp(part, "optimizer") != 0;
}

/* What the ranks' programs send; false: they cannot be made. */
static bool predict_sent(const struct train_asked *asked, struct rk_program_sums *all)
{
    struct rk_program_class classes[RK_MAX_STAGES];
    const size_t found =
        rk_program_classes(asked->model, asked->system, asked->plan, classes, RK_MAX_STAGES);
    bool good = found > 0 && found <= RK_MAX_STAGES;
    *all = (struct rk_program_sums){.flop = 0};
    for (size_t i = 0; good && i < found; i++) {
        const double ranks = (double)classes[i].ranks;
        struct rk_program program = {.instructions = 0};
        struct rk_program_sums sums = {.flop = 0};
        struct rk_error error;
        good = rk_program_of(&program, asked->model, asked->system, asked->plan, classes[i].first,
                             &error) == RK_OK;
        if (good) rk_program_sum(&program, &sums);
        rk_program_release(&program);
        all->data_sent_bytes += ranks * sums.data_sent_bytes;
        all->message_bytes += ranks * sums.message_bytes;
    }
    return good;
}

/* What all ranks send each other in a step: by the predictor's count and the run's. What has no
 * name in a program, as the norm of the gradients, is "others". */
static void show_sent(struct report *report, const struct train_asked *asked,
                      const struct rk_prediction *p, const struct rk_train_result *r)
{
    static const struct report_column columns[] = {
        {.name = "sent"},
        {.name = "predicted_bytes", .title = "predicted", .unit = "B", .digits = 6},
        {.name = "counted_bytes", .title = "counted", .unit = "B", .digits = 6}};
    struct rk_program_sums sums;
    struct report_table *table = NULL;
    double layers = 0, messages = 0, data = 0, others = 0;
    if (cli_executor->ranks) return; /* of other processes this one knows nothing */
    for (int i = 0; i < RK_TRAIN_PARTS_COUNT; i++) {
        const char *part = part_names[i];
        *(is_of_layers(part)              ? &layers
          : strcmp(part, "messages") == 0 ? &messages
          : strcmp(part, "data") == 0     ? &data
                                          : &others) += r->part_sent_bytes[i];
    }
    const bool known = p && predict_sent(asked, &sums);
    const struct {
        const char *name;
        double predicted, counted;
    } rows[] = {{"tensor, context, experts",
                 p ? p->tensor_sent_bytes + p->context_sent_bytes + p->expert_sent_bytes : -1,
                 layers},
                {"messages between stages", known ? sums.message_bytes : -1, messages},
                {"gradients and weights", known ? sums.data_sent_bytes : -1, data},
                {"others", -1, others}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (!(rows[i].counted > 0)) continue;
        if (!table)
            table = REPORT_LIST(report, "sent", "What all ranks send in a step", REPORT_IN_ALL,
                                columns);
        REPORT_ROW(report, table, cell_text(rows[i].name),
                   rows[i].predicted >= 0 ? cell_number(rows[i].predicted) : cell_none(),
                   cell_number(rows[i].counted));
    }
}

/* ---- memory ---- */

static void memory_row(struct report *report, struct report_table *table, const char *name,
                       double predicted, double counted)
{
    if (!(counted > 0) && !(predicted > 0)) return;
    const struct report_cell cells[] = {
        cell_text(name), predicted >= 0 ? cell_number(predicted) : cell_none(),
        cell_number(counted),
        predicted > 0 && counted > 0 ? cell_number(predicted / counted - 1) : cell_none()};
    report_row(report, table, cells);
}

static void keep_most(struct rk_train_memory *most, const struct rk_train_memory *of)
{
    if (of->peak_bytes > most->peak_bytes) most->peak_bytes = of->peak_bytes;
    if (of->placed_bytes > most->placed_bytes) most->placed_bytes = of->placed_bytes;
}

/* What the rank with most has of a step's tensors: one of each class of ranks is counted, of ranks
 * that are processes this one. Which blocks attention sees takes no memory. False: not known. */
static bool count_tensors(const struct train_asked *asked, const struct rk_plan *plan,
                          struct rk_train_memory *most)
{
    struct rk_program_class classes[RK_MAX_STAGES];
    const struct rk_train_run run = {.system = asked->system};
    const bool alone = cli_executor->ranks > 0;
    struct rk_train train = *asked->train;
    struct rk_error error;
    train.block_tokens = 0;
    const size_t found =
        alone ? 1 : rk_program_classes(asked->model, asked->system, plan, classes, RK_MAX_STAGES);
    *most = (struct rk_train_memory){.peak_bytes = 0};
    if (!asked->predicts || train.double_precision) return false;
    for (size_t i = 0; i < found && i < RK_MAX_STAGES; i++) {
        const uint64_t rank = alone ? (uint64_t)cli_executor->rank : classes[i].first;
        struct rk_train_memory memory;
        if (cli_executor->count(asked->model, plan, &train, &run, rank, &memory, &error) != RK_OK)
            return false;
        keep_most(most, &memory);
    }
    return true;
}

static double most_of(const struct rk_prediction *p, enum rk_holding holding)
{
    double most = 0;
    for (int i = 0; i < p->stages; i++)
        most = fmax(most, p->stage[i].holds[holding]);
    return most;
}

/* The plan with what the router brought. */
static struct rk_plan as_routed(const struct train_asked *asked, const struct rk_train_result *r)
{
    struct rk_plan plan = *asked->plan;
    plan.imbalance = fmax(1, r->imbalance);
    return plan;
}

static void show_tensors(struct report *report, struct report_table *table,
                         const struct train_asked *asked, const struct rk_train_result *r)
{
    const struct rk_plan routed = as_routed(asked, r);
    struct rk_train_memory tensors;
    const bool known = count_tensors(asked, asked->plan, &tensors);
    memory_row(report, table, "a step's tensors, alive at once",
               known ? (double)tensors.peak_bytes : -1, (double)r->peak_bytes);
    if (r->placed_bytes)
        memory_row(report, table, "... at fixed addresses",
                   known ? (double)tensors.placed_bytes : -1, (double)r->placed_bytes);
    if (known && r->imbalance > 0 && count_tensors(asked, &routed, &tensors))
        memory_row(report, table, "... alive at once, as routed", (double)tensors.peak_bytes,
                   (double)r->peak_bytes);
}

/* Each line is of the rank that has most of it. */
static void show_memory(struct report *report, const struct train_asked *asked,
                        const struct rk_prediction *p, const struct rk_train_result *r)
{
    static const struct report_column columns[] = {
        {.name = "memory"},
        {.name = "predicted_bytes", .title = "predicted", .unit = "B", .digits = 6},
        {.name = "counted_bytes", .title = "counted", .unit = "B", .digits = 6},
        {.name = "off", .unit = "%", .digits = 1}};
    const struct rk_train_state *s = &r->state;
    struct report_table *table =
        REPORT_LIST(report, "memory", "Memory of a rank", REPORT_IN_ALL, columns);
    memory_row(report, table, "weights", p ? most_of(p, RK_HOLD_weights) : -1, s->weight_bytes);
    memory_row(report, table, "gradients", p ? most_of(p, RK_HOLD_gradients) : -1,
               s->gradient_bytes);
    memory_row(report, table, "... of a tied head apart", -1, s->tied_bytes);
    memory_row(report, table, "optimizer", p ? most_of(p, RK_HOLD_optimizer) : -1,
               s->optimizer_bytes);
    show_tensors(report, table, asked, r);
}

/* ---- lower memory tiers ---- */

/* Without a system, tiers are what --drives says of them, and nothing is known of their wear. */
static void show_tiers(struct report *report, const struct train_asked *asked,
                       const struct rk_train_result *r)
{
    static const char *const kinds[RK_SHARE_TIERS] = {"tier 1, host memory", "tier 2, drives",
                                                      "tier 3", "tier 4"};
    static const struct report_column columns[] = {
        {.name = "tier"},
        {.name = "weights_bytes", .title = "weights", .unit = "B", .digits = 3},
        {.name = "optimizer_bytes", .title = "optimizer", .unit = "B", .digits = 3},
        {.name = "activations_bytes", .title = "activations", .unit = "B", .digits = 3},
        {.name = "handed_bytes",
         .title = "... kept",
         .unit = "B",
         .digits = 3,
         .help = "of the activations: needed again so soon that they never left"},
        {.name = "written_bytes", .title = "written", .unit = "B", .digits = 3},
        {.name = "write_Bps", .title = "at", .unit = "B/s", .digits = 2},
        {.name = "read_bytes", .title = "read", .unit = "B", .digits = 3},
        {.name = "read_Bps", .title = "at", .unit = "B/s", .digits = 2},
        {.name = "life_years", .title = "worn out in years", .digits = 2}};
    struct report_table *table = NULL;
    for (int i = 0; i < RK_SHARE_TIERS; i++) {
        const struct rk_train_tier *t = &r->tier[i];
        if (!(t->written_bytes + t->read_bytes + t->activation_bytes > 0)) continue;
        const struct rk_memory *memory = &asked->system->memory[i + 1];
        const double life_s =
            rk_life_s(rk_memory_endurance_bytes(memory), r->step_s, t->written_bytes);
        if (!table)
            table =
                REPORT_LIST(report, "tiers", "What was offloaded, a step", REPORT_IN_ALL, columns);
        REPORT_ROW(report, table, cell_text(asked->predicts ? memory->name : kinds[i]),
                   cell_number(t->weight_bytes), cell_number(t->optimizer_bytes),
                   cell_number(t->activation_bytes), cell_number(t->handed_bytes),
                   cell_number(t->written_bytes),
                   t->write_s > 0 ? cell_number(t->written_bytes / t->write_s) : cell_none(),
                   cell_number(t->read_bytes),
                   t->read_s > 0 ? cell_number(t->read_bytes / t->read_s) : cell_none(),
                   asked->predicts && isfinite(life_s) ? cell_number(life_s / RK_YEAR_S)
                                                       : cell_none());
    }
    if (table && !asked->predicts)
        report_note(report, "assumed without --system: memory tier 1 is the host's, tier 2 drives; "
                            "what wears out is not known");
}

/* The executor sums up what a tied head finds alone, so that stages change no bit. Of gradients of
 * whole reals it adds the rows of its tokens, and the table's are never set to zero: those of
 * rk_predict are. Others it sets to zero, and adds all: two read and one written. At the rate of
 * AdamW's pass, which reads and writes two moments and the weights (with 16 bits, the master copy),
 * and reads the gradients twice; Muon's products are no part of it. On two stages that is a
 * message. */
static void add_tied(struct rk_prediction *p, const struct train_asked *asked, double tied_bytes)
{
    struct rk_prediction usual;
    struct rk_plan plan = *asked->plan;
    const double state = plan.precision == RK_FP32 ? 4 : 3; /* bytes of a pass a byte of state */
    const bool apart = rk_plan_sums_apart(&plan);
    if (plan.pipeline > 1 || !(tied_bytes > 0)) return;
    plan.optimizer = RK_ADAM;
    rk_predict(asked->model, asked->system, &plan, &usual);
    const double cleared = apart ? most_of(&usual, RK_HOLD_gradients) : tied_bytes;
    const double pass = state * most_of(&usual, RK_HOLD_optimizer) + cleared;
    if (!(pass > 0)) return;
    const double more_s = usual.optimizer_s * (apart ? 4 : -1) * tied_bytes / pass;
    p->optimizer_s += more_s;
    p->step_s += more_s;
}

/* What a router will learn is not known beforehand. */
static void note_router(struct report *report, const struct train_asked *asked,
                        const struct rk_train_result *result)
{
    const double planned = fmax(1, asked->plan->imbalance);
    if (!(result->imbalance > 0)) return;
    report_note(report,
                report_text(report,
                            "Experts: in the last step the busiest rank had %.2f times the mean "
                            "of the tokens, layer by layer (%.2f in the plan)%s.",
                            result->imbalance, planned,
                            asked->predicts ? "; a step and its tensors are predicted with "
                                              "that as well"
                                            : ""));
}

static double routed_s(const struct train_asked *asked, const struct rk_train_result *result)
{
    struct rk_prediction routed;
    const struct rk_plan plan = as_routed(asked, result);
    struct train_asked other = *asked;
    if (!asked->predicts || !(result->imbalance > 0)) return 0;
    other.plan = &plan;
    rk_predict(asked->model, asked->system, &plan, &routed);
    add_tied(&routed, &other, result->state.tied_bytes);
    return routed.step_s;
}

void train_show(struct report *report, const struct train_asked *asked,
                const struct rk_train_result *result)
{
    struct rk_prediction predicted;
    if (asked->predicts) {
        rk_predict(asked->model, asked->system, asked->plan, &predicted);
        add_tied(&predicted, asked, result->state.tied_bytes);
    }
    const struct rk_prediction *p = asked->predicts ? &predicted : NULL;
    show_result(report, p, routed_s(asked, result), result);
    note_router(report, asked, result);
    if (result->slowest > 1.05)
        report_note(report,
                    report_text(report,
                                "Rank %d computed %.2f times as long as the median rank of its "
                                "stage: its processor is slow, or busy otherwise.",
                                result->slowest_rank, result->slowest));
    if (result->skipped)
        report_note(report, report_text(report,
                                        "%llu of %llu steps were skipped: their gradients "
                                        "overflowed. A lower --loss-scale begins without.",
                                        (unsigned long long)result->skipped,
                                        (unsigned long long)result->steps));
    if (result->changes)
        report_note(report,
                    report_text(report,
                                "The plan changed %llu time%s, in %.3g s; the tables are of "
                                "the last one.",
                                (unsigned long long)result->changes,
                                result->changes == 1 ? "" : "s", result->change_s));
    show_sent(report, asked, p, result);
    show_memory(report, asked, p, result);
    show_tiers(report, asked, result);
}
