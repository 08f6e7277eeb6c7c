/* Files are loaded back: the Chrome trace as JSON, the schedule by the rules of PyTorch's loader.
 */
#include <criterion/criterion.h>
#include <inttypes.h>
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "timeline/timeline.h"

static const struct timeline_labels labels = {"a \"model\"\n", "a\\system", "1.0"};

/* Of the plan at hand. */
enum { STAGES = 8, CHUNKS = 3 };
static struct timeline_chunk chunks[STAGES * CHUNKS];
static struct timeline_end ends[STAGES];
static double capacity[STAGES];
static struct timeline_bytes bytes[2][STAGES * TIMELINE_CATEGORIES];

/* Everything at once: recompute, offloading, a reduction beside backward, unequal stages. */
static struct timeline_plan plan_of(enum rk_schedule schedule, uint32_t stages, uint32_t count,
                                    uint32_t microbatches)
{
    const struct timeline_duration forward = {.compute_s = 1,
                                              .wait_s = 0.25,
                                              .total_s = 1.25,
                                              .compute_link_s = {0.5},
                                              .in_bytes = 10,
                                              .in_s = 0.7,
                                              .out_bytes = 20,
                                              .out_s = 0.9};
    const struct timeline_duration backward = {.recompute_s = 1,
                                               .compute_s = 2,
                                               .wait_s = 0.125,
                                               .total_s = 3.125,
                                               .recompute_link_s = 1.5,
                                               .compute_link_s = {0.5},
                                               .in_bytes = 30,
                                               .in_s = 3};
    const struct timeline_duration weights = {.compute_s = 1, .total_s = 1};
    const struct pipeline p = {schedule, stages, count, microbatches, false, 0};
    struct timeline_plan plan = {.pipeline = p,
                                 .schedule = "given",
                                 .stages = stages,
                                 .chunks = pipeline_chunks(&p),
                                 .microbatches = microbatches,
                                 .chunk = chunks,
                                 .end = ends,
                                 .message_s = {0.125, 0.0625},
                                 .message_bytes = {1000, 500},
                                 .reduces = true,
                                 .reduce_beside = true,
                                 .category = {"weights", "activations", "gradients", "optimizer"},
                                 .ranks_per_stage = 8,
                                 .tiers = 2};
    for (uint32_t i = 0; i < stages * plan.chunks; i++) {
        const bool lacks = stages > 1 && i == stages * plan.chunks - 1;
        chunks[i] = (struct timeline_chunk){.blocks = lacks ? 1 : 2,
                                            .held = lacks ? 1 : 2,
                                            .reduce_s = 0.4,
                                            .reduce_bytes = 77,
                                            .pass = {forward, backward, backward, weights}};
    }
    memset(bytes, 0, sizeof bytes);
    for (uint32_t stage = 0; stage < stages; stage++) {
        struct timeline_bytes *high = &bytes[0][stage * TIMELINE_CATEGORIES];
        const double blocks = (double)timeline_blocks(&plan, stage);
        capacity[stage] = 1e6;
        ends[stage].optimizer_s = blocks * 0.300000123;
        high[0].fixed = 100 * blocks;
        high[1] = (struct timeline_bytes){.in_flight = 10.5, .computing = 5};
        high[2].backward = 3;
        bytes[1][stage * TIMELINE_CATEGORIES + 3].fixed = 7;
    }
    plan.tier[0] =
        (struct timeline_tier){.name = "HBM", .capacity_bytes = capacity, .bytes = bytes[0]};
    plan.tier[1] = (struct timeline_tier){
        .tier = 1, .name = "host", .capacity_bytes = capacity, .bytes = bytes[1]};
    return plan;
}

/* ---- the trace ---- */

static json_t *load_trace(const struct timeline_plan *plan, const struct timeline_window *window)
{
    struct timeline timeline;
    struct rk_error error;
    json_error_t fault;
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    cr_assert_eq(timeline_simulate(plan, &timeline, &error), RK_OK);
    cr_assert_eq(timeline_write_trace(out, plan, &timeline, window, &labels, &error), RK_OK);
    fclose(out);
    json_t *trace = json_loadb(text, size, JSON_REJECT_DUPLICATES, &fault);
    cr_assert(trace, "line %d: %s", fault.line, fault.text);
    free(text);
    timeline_release(&timeline);
    return trace;
}

static const char *text_of(const json_t *event, const char *key)
{
    return json_string_value(json_object_get(event, key));
}

static double number_of(const json_t *event, const char *key)
{
    return json_number_value(json_object_get(event, key));
}

static bool is_phase(const json_t *event, const char *phase)
{
    return strcmp(text_of(event, "ph"), phase) == 0;
}

/* On each thread of each process, one behind the other. */
static void check_no_overlap(const json_t *events)
{
    double end_us[16][TIMELINE_TRACKS] = {{0}};
    size_t i;
    json_t *event;
    json_array_foreach(events, i, event)
    {
        if (!is_phase(event, "X")) continue;
        double *end = &end_us[(int)number_of(event, "pid")][(int)number_of(event, "tid")];
        const double ts = number_of(event, "ts"), dur = number_of(event, "dur");
        cr_assert(dur >= 0);
        if (dur == 0) continue; /* arrivals: dualpipe uses them in another order */
        cr_assert(ts >= *end - 1e-6, "%s of process %g, thread %g at %f begins before %f",
                  text_of(event, "name"), number_of(event, "pid"), number_of(event, "tid"), ts,
                  *end);
        *end = ts + dur;
    }
}

struct message {
    double sent_us, used_us, send_end_us, received_us;
};

/* Numbers of messages are small here. */
enum { MOST_MESSAGES = 4096 };

/* Sends and receives have slices and both ends of an arrow, the slice first. */
static size_t check_messages(const json_t *events)
{
    static struct message message[MOST_MESSAGES];
    struct message slice = {0};
    size_t i, complete = 0;
    json_t *event;
    memset(message, 0, sizeof message);
    json_array_foreach(events, i, event)
    {
        const double ts = number_of(event, "ts");
        const size_t id = (size_t)json_integer_value(json_object_get(event, "id"));
        const char *name = text_of(event, "name");
        if (is_phase(event, "X") && strcmp(name, "send") == 0) {
            slice.sent_us = ts;
            slice.send_end_us = ts + number_of(event, "dur");
        } else if (is_phase(event, "X") && strcmp(name, "receive") == 0) {
            slice.received_us = ts;
        } else if (is_phase(event, "s")) {
            cr_assert_lt(id, MOST_MESSAGES);
            message[id].sent_us = slice.sent_us;
            message[id].send_end_us = slice.send_end_us;
            cr_assert_eq(ts, slice.sent_us);
        } else if (is_phase(event, "f")) {
            cr_assert_lt(id, MOST_MESSAGES);
            message[id].received_us = slice.received_us;
            message[id].used_us = ts;
        }
    }
    for (i = 0; i < MOST_MESSAGES; i++) {
        if (message[i].send_end_us == 0 && message[i].used_us == 0) continue;
        complete++;
        cr_assert(message[i].sent_us > 0);
        cr_assert(message[i].received_us >= message[i].send_end_us - 1e-6);
        cr_assert(message[i].used_us >= message[i].received_us);
    }
    return complete;
}

/* Counters: the peak is the result's, the last value what a stage always holds. */
static void check_counters(const json_t *events, const struct timeline_plan *plan)
{
    double most[16] = {0}, last[16] = {0};
    struct timeline timeline;
    size_t i;
    json_t *event, *value;
    const char *key;
    json_array_foreach(events, i, event)
    {
        if (!is_phase(event, "C")) continue;
        const int pid = (int)number_of(event, "pid");
        double sum = 0;
        json_object_foreach(json_object_get(event, "args"), key, value)
        {
            cr_assert(json_number_value(value) >= 0);
            sum += json_number_value(value);
        }
        if (strcmp(text_of(event, "name"), "memory tier 0 (HBM)") != 0) continue;
        most[pid] = fmax(most[pid], sum);
        last[pid] = sum;
    }
    cr_assert_eq(timeline_simulate(plan, &timeline, NULL), RK_OK);
    for (uint32_t stage = 0; stage < plan->stages; stage++) {
        const double always = 100 * (double)timeline_blocks(plan, stage);
        cr_assert_float_eq(most[stage], timeline.stage[stage].peak_bytes[0], 1e-9);
        cr_assert_float_eq(last[stage], always, 1e-9, "stage %u ends with %g", stage, last[stage]);
    }
    timeline_release(&timeline);
}

static void check_trace(enum rk_schedule schedule, uint32_t stages, uint32_t count_,
                        uint32_t microbatches, enum timeline_messages messages)
{
    const struct timeline_window everything = timeline_everything();
    struct timeline_plan plan = plan_of(schedule, stages, count_, microbatches);
    plan.messages = messages;
    json_t *trace = load_trace(&plan, &everything);
    const json_t *events = json_object_get(trace, "traceEvents");
    check_no_overlap(events);
    const size_t links = (size_t)stages * count_ - 1;
    cr_assert_eq(check_messages(events), stages > 1 ? 2 * links * microbatches : 0);
    check_counters(events, &plan);
    cr_assert(json_is_true(json_object_get(json_object_get(trace, "otherData"), "complete")));
    json_decref(trace);
}

Test(timeline_trace, loads_back)
{
    for (int messages = 0; messages < TIMELINE_MESSAGES; messages++) {
        const enum timeline_messages m = (enum timeline_messages)messages;
        check_trace(RK_1F1B, 1, 1, 3, m);
        check_trace(RK_GPIPE, 3, 1, 5, m);
        check_trace(RK_1F1B, 4, 1, 8, m);
        check_trace(RK_1F1B, 5, 1, 2, m);
        check_trace(RK_1F1B, 4, 2, 8, m);
        check_trace(RK_1F1B, 4, 3, 6, m);
        check_trace(RK_ZERO_BUBBLE, 4, 1, 8, m);
        check_trace(RK_ZERO_BUBBLE, 4, 1, 3, m);
        check_trace(RK_DUALPIPE, 4, 1, 10, m);
    }
}

Test(timeline_trace, text_is_escaped)
{
    const struct timeline_window everything = timeline_everything();
    const struct timeline_plan plan = plan_of(RK_1F1B, 2, 1, 2);
    json_t *trace = load_trace(&plan, &everything);
    const json_t *data = json_object_get(trace, "otherData");
    cr_assert_str_eq(text_of(data, "model"), labels.model);
    cr_assert_str_eq(text_of(data, "system"), labels.system);
    json_decref(trace);
}

/* How many events of a name a trace has. */
static size_t count(const json_t *trace, const char *name)
{
    size_t i, found = 0;
    json_t *event;
    json_array_foreach(json_object_get(trace, "traceEvents"), i, event) found +=
        strcmp(text_of(event, "name"), name) == 0;
    return found;
}

Test(timeline_trace, holds_every_event)
{
    const struct timeline_window everything = timeline_everything();
    const struct timeline_plan plan = plan_of(RK_1F1B, 4, 2, 8);
    json_t *trace = load_trace(&plan, &everything);
    const size_t passes = 4 * 2 * 8;
    cr_expect_eq(count(trace, "forward"), passes);
    cr_expect_eq(count(trace, "recompute"), passes);
    cr_expect_eq(count(trace, "backward"), passes);
    cr_expect_eq(count(trace, "wait"), 2 * passes);
    cr_expect_eq(count(trace, "in"), 2 * passes);
    cr_expect_eq(count(trace, "out"), passes);
    cr_expect_eq(count(trace, "tensor comm"), 3 * passes);
    cr_expect_eq(count(trace, "send"), 2 * 7 * 8);
    cr_expect_eq(count(trace, "charge"), 2 * 8);
    cr_expect_eq(count(trace, "optimizer"), 4);
    cr_expect_eq(count(trace, "reduce"), 4 * 2 * 2 - 1); /* blocks; a stage has one less */
    cr_expect_eq(count(trace, "process_name"), 4);
    json_decref(trace);
}

/* Nanoseconds stand behind the point. */
Test(timeline_trace, ends_with_the_step)
{
    const struct timeline_window everything = timeline_everything();
    const struct timeline_plan plan = plan_of(RK_1F1B, 3, 1, 2);
    json_t *trace = load_trace(&plan, &everything);
    const double step_us = 1e6 * number_of(json_object_get(trace, "otherData"), "step_s");
    double end_us = 0;
    size_t i;
    json_t *event;
    json_array_foreach(json_object_get(trace, "traceEvents"), i, event) end_us =
        fmax(end_us, number_of(event, "ts") + number_of(event, "dur"));
    cr_assert_float_eq(end_us, step_us, 1e-3);
    json_decref(trace);
}

static void check_window(const struct timeline_plan *plan, double from_s)
{
    const struct timeline_window window = {from_s, from_s + 10, 1, 2};
    json_t *trace = load_trace(plan, &window);
    const json_t *events = json_object_get(trace, "traceEvents");
    const double from_us = from_s * 1e6, to_us = from_us + 10e6;
    size_t i, slices = 0;
    json_t *event;
    json_array_foreach(events, i, event)
    {
        const double pid = number_of(event, "pid"), ts = number_of(event, "ts");
        cr_assert(pid >= 1 && pid <= 2);
        slices += is_phase(event, "X");
        if (is_phase(event, "X")) cr_assert(ts <= to_us && ts + number_of(event, "dur") >= from_us);
        if (is_phase(event, "C")) cr_assert(ts <= to_us && ts >= from_us);
    }
    cr_assert_gt(slices, 5);
    check_messages(events); /* no arrow without both ends */
    cr_assert(json_is_false(json_object_get(json_object_get(trace, "otherData"), "complete")));
    json_decref(trace);
}

Test(timeline_trace, windows_are_cut_out)
{
    const struct timeline_plan plan = plan_of(RK_1F1B, 4, 1, 8);
    for (double from_s = 0.5; from_s < 40; from_s += 0.5)
        check_window(&plan, from_s);
}

Test(timeline_trace, a_full_disk_is_reported)
{
    const struct timeline_window everything = timeline_everything();
    const struct timeline_plan plan = plan_of(RK_1F1B, 4, 1, 8);
    struct timeline timeline;
    struct rk_error error;
    FILE *full = fopen("/dev/full", "w");
    if (!full) cr_skip_test();
    cr_assert_eq(timeline_simulate(&plan, &timeline, &error), RK_OK);
    cr_assert_eq(timeline_write_trace(full, &plan, &timeline, &everything, &labels, &error), RK_IO);
    cr_assert_eq(timeline_write_pytorch(full, &plan, &error), RK_IO);
    fclose(full);
    timeline_release(&timeline);
}

/* ---- the schedule file ---- */

struct action {
    uint32_t stage, microbatch;
    char letter; /* '\0': idle */
};

enum { MOST_RANKS = 8, MOST_STEPS = 512, MOST_STAGES = 32, MOST_MICROBATCHES = 64 };

struct table {
    uint32_t ranks;
    uint32_t steps[MOST_RANKS];
    struct action action[MOST_RANKS][MOST_STEPS];
};

static void parse_cell(struct table *table, const char *cell)
{
    struct action *action = &table->action[table->ranks][table->steps[table->ranks]++];
    char rest;
    *action = (struct action){0};
    if (!*cell) return;
    cr_assert_eq(sscanf(cell, "%" SCNu32 "%c%" SCNu32 "%c", &action->stage, &action->letter,
                        &action->microbatch, &rest),
                 3, "\"%s\"", cell);
    cr_assert(strchr("FIWB", action->letter), "\"%s\"", cell);
}

static struct table *load_schedule(const struct timeline_plan *plan)
{
    static struct table table;
    char *text = NULL, *rest, *line;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    memset(&table, 0, sizeof table);
    cr_assert_eq(timeline_write_pytorch(out, plan, NULL), RK_OK);
    fclose(out);
    for (rest = text; (line = strsep(&rest, "\r")) && *line && *line != '\n'; rest++) {
        char *cell;
        while ((cell = strsep(&line, ",")))
            parse_cell(&table, cell);
        table.ranks++;
    }
    free(text);
    return &table;
}

/* When each pass of each stage is done: the step behind it; 0: not yet. */
struct done {
    uint32_t forward[MOST_STAGES][MOST_MICROBATCHES], backward[MOST_STAGES][MOST_MICROBATCHES],
        weight[MOST_STAGES][MOST_MICROBATCHES];
};

/* What the runtime asks of a cell: its input was made in an earlier step, forward comes before
 * backward, activation gradients before weight gradients; nothing twice. */
static void run_cell(struct done *done, const struct action *a, uint32_t step, uint32_t stages)
{
    uint32_t input = 1;
    if (a->letter == 'F') {
        if (a->stage > 0) input = done->forward[a->stage - 1][a->microbatch];
        cr_assert_eq(done->forward[a->stage][a->microbatch], 0);
        done->forward[a->stage][a->microbatch] = step + 1;
    } else if (a->letter == 'W') {
        input = done->backward[a->stage][a->microbatch];
        cr_assert_eq(done->weight[a->stage][a->microbatch], 0);
        done->weight[a->stage][a->microbatch] = step + 1;
    } else {
        if (a->stage + 1 < stages) input = done->backward[a->stage + 1][a->microbatch];
        cr_assert(done->forward[a->stage][a->microbatch] > 0);
        cr_assert_eq(done->backward[a->stage][a->microbatch], 0);
        done->backward[a->stage][a->microbatch] = step + 1;
        if (a->letter == 'B') done->weight[a->stage][a->microbatch] = step + 1;
    }
    cr_assert(input > 0 && (step == 0 || input <= step), "%u%c%u in step %u has no input", a->stage,
              a->letter, a->microbatch, step);
}

static void check_schedule(enum rk_schedule schedule, uint32_t ranks, uint32_t count_,
                           uint32_t microbatches)
{
    const struct timeline_plan plan = plan_of(schedule, ranks, count_, microbatches);
    const struct table *table = load_schedule(&plan);
    const uint32_t stages = ranks * count_;
    static struct done done;
    memset(&done, 0, sizeof done);
    cr_assert_eq(table->ranks, ranks);
    for (uint32_t step = 0; step < MOST_STEPS; step++)
        for (uint32_t rank = 0; rank < ranks; rank++) {
            const struct action *a = &table->action[rank][step];
            if (step >= table->steps[rank] || !a->letter) continue;
            cr_assert_eq(a->stage % ranks, rank); /* a stage is on one rank */
            cr_assert(a->stage < stages && a->microbatch < microbatches);
            cr_assert_eq(a->letter == 'B', a->letter != 'F' && schedule != RK_ZERO_BUBBLE);
            run_cell(&done, a, step, stages);
        }
    for (uint32_t stage = 0; stage < stages; stage++)
        for (uint32_t mb = 0; mb < microbatches; mb++)
            cr_assert(done.forward[stage][mb] && done.backward[stage][mb] &&
                      done.weight[stage][mb]);
}

Test(timeline_pytorch, follows_the_runtime_s_rules)
{
    check_schedule(RK_1F1B, 1, 1, 4);
    check_schedule(RK_GPIPE, 4, 1, 8);
    check_schedule(RK_1F1B, 4, 1, 8);
    check_schedule(RK_1F1B, 8, 1, 3);
    check_schedule(RK_1F1B, 4, 2, 8);
    check_schedule(RK_1F1B, 4, 4, 10);
    check_schedule(RK_ZERO_BUBBLE, 4, 1, 8);
    check_schedule(RK_ZERO_BUBBLE, 8, 1, 64);
}

static void expect_text(enum rk_schedule schedule, uint32_t count_, const char *expected)
{
    const struct timeline_plan plan = plan_of(schedule, 2, count_, 2);
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    cr_assert_eq(timeline_write_pytorch(out, &plan, NULL), RK_OK);
    fclose(out);
    cr_expect_str_eq(text, expected, "%s", text);
    free(text);
}

Test(timeline_pytorch, small_schedules)
{
    expect_text(RK_1F1B, 1, "0F0,0F1,,0B0,,0B1\r\n,1F0,1B0,1F1,1B1\r\n");
    expect_text(RK_ZERO_BUBBLE, 1, "0F0,0F1,,0I0,0W0,0I1,0W1\r\n,1F0,1I0,1F1,1I1,1W0,1W1\r\n");
    expect_text(RK_1F1B, 2,
                "0F0,0F1,2F0,2F1,,2B0,,2B1,0B0,0B1\r\n,1F0,1F1,3F0,3B0,3F1,3B1,1B0,1B1\r\n");
}

Test(timeline_pytorch, what_the_runtime_has_not)
{
    struct timeline_plan plan = plan_of(RK_1F1B, 2, 1, 2);
    struct rk_error error;
    plan.pipeline.forward_only = true;
    cr_assert_eq(timeline_write_pytorch(stdout, &plan, &error), RK_BAD_ARGUMENT);
    const struct timeline_plan dual = plan_of(RK_DUALPIPE, 4, 1, 8);
    cr_assert_eq(timeline_write_pytorch(stdout, &dual, &error), RK_BAD_ARGUMENT);
}
