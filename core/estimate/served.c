/* served.c - inference by the operations of layers: a pass, a pipeline of passes, a batch. */
#include "estimate/fold.h"
#include "estimate/plan_check.h"
#include "machine/busy.h"

#include <math.h>
#include <reckon/serve.h>
#include <string.h>

/* ---- one layer in one pass ---- */

struct served_layer {
    double spent_s[SPENDINGS], pass_s;
    double useful_flop;
    double weights_bytes, working_bytes, message_bytes;
    double expert_bytes; /* of weights_bytes */
};

struct server {
    const struct rk_model *model;
    const struct rk_system *system;
    const struct rk_plan *plan;
    const struct rk_serving *serving;
    struct rank_map ranks;
    double sustained;
    double pipeline, data;
};

/* Weights of blocks as they are kept, an element: narrow ones with their scales, of 4 bytes for a
 * block of 128 x 128 [deepseek2024v3], of one for 32 [rouhani2023] or for 16 [nvidia2025]. */
static double narrow_bytes(const struct rk_plan *plan)
{
    static const double bytes[RK_PRECISIONS] = {
        [RK_FP8_DELAYED] = 1,
        [RK_FP8_CURRENT] = 1,
        [RK_FP8_ROW] = 1,
        [RK_FP8_BLOCK] = 1 + 4.0 / (128 * 128),
        [RK_MXFP8] = 1 + 1.0 / 32,
        [RK_NVFP4] = 0.5 + 1.0 / 16,
        [RK_INT8] = 1,
    };
    if (plan->weight_element_bytes > 0) return plan->weight_element_bytes;
    return bytes[plan->precision] > 0 ? bytes[plan->precision]
                                      : operand_bytes(operand_of(plan->precision, false));
}

static double weight_bytes(const struct rk_plan *plan, const struct operation *op)
{
    return op->narrow ? narrow_bytes(plan) : operand_bytes(operand_of(plan->precision, false));
}

static double matrix_s(const struct server *server, const struct operation *op)
{
    const enum operand operand = operand_of(server->plan->precision, op->narrow);
    const double kept = op->of_weights ? weight_bytes(server->plan, op) : operand_bytes(operand);
    const double kernels = fmax(1, op->kernels[RK_FORWARD]);
    return kernels * served_matrix_time_s(server->system, operand, kept, server->sustained,
                                          op->count / kernels, op->m, op->n, op->k);
}

static double attention_s(const struct server *server, const struct operation *op)
{
    const struct attention_shape shape = attention_shape_of(server->plan, op);
    const enum operand operand = operand_of(server->plan->precision, false);
    return op->cache_bytes > 0
               ? cached_attention_time_s(server->system, operand, &shape, op->cache_bytes)
               : attention_time_s(server->system, operand, &shape, false);
}

/* Within the kernel of an adjacent operation, if it has no kernel of its own. */
static double memory_s(const struct server *server, const struct operation *op)
{
    const double kernels = op->kernels[RK_FORWARD], bytes = op->bytes[RK_FORWARD];
    const double start_s = server->system->kernels.kernel_s;
    if (!(bytes > 0)) return 0;
    return memory_time_s(server->system, bytes) + (kernels - 1) * start_s;
}

static double forward_on(const struct server *server, const struct operation *op)
{
    const double slower = op->slower > 0 ? op->slower : 1;
    switch (op->kind) {
    case OPERATION_MATRIX:
        return slower * matrix_s(server, op);
    case OPERATION_ATTENTION:
        return slower * attention_s(server, op);
    case OPERATION_MEMORY:
        return slower * memory_s(server, op);
    case OPERATION_COMM:
        break;
    }
    return slower * forward_exchange_s(server->system, &server->ranks, op);
}

/* As busy as the plan's ranks make a node (machine/busy.h). */
static double forward_s(const struct server *server, const struct operation *op)
{
    const double share =
        busy_share(server->system, ranks_of_node(server->system, (double)server->plan->ranks) - 1);
    const double alone_s = forward_on(server, op);
    if (!(share > 0) || op->kind == OPERATION_COMM) return alone_s;
    const struct rk_system system = busy_system(server->system);
    struct server busy = *server;
    busy.system = &system;
    busy.sustained = sustained_share(&system.kernels);
    return busy_between(alone_s, forward_on(&busy, op), share);
}

/* Two halves of a batch take turns: the exchange of experts of one overlaps with the computation of
 * the other [deepseek2024v3, 3.4]. */
static void hide_exchange(const struct server *server, struct served_layer *sum)
{
    const double comm_s = sum->spent_s[SPENT_EXPERT];
    if (!server->plan->expert_overlap) return;
    const double exposed_s = fmax(0, comm_s - (sum->pass_s - comm_s));
    sum->pass_s += exposed_s - comm_s;
    sum->spent_s[SPENT_EXPERT] = exposed_s;
}

/* Weights that data ranks share are gathered block by block, during the previous block: the
 * weight-gathered layout of [pope2023, 3.2.3]. A rank holds its share and one whole block; tokens
 * go to where the tables of the ends are. */
static void gather_weights(const struct server *server, enum layer_kind kind,
                           struct served_layer *sum)
{
    if (server->plan->zero != 3 || server->data == 1) return;
    const struct rank_group data = group_of(&server->ranks, RANKS_OF_DATA);
    const struct rank_group copies = group_of(&server->ranks, RANKS_OF_EXPERT_DATA);
    const double whole = sum->weights_bytes, dense = whole - sum->expert_bytes;
    sum->weights_bytes = dense / data.ranks + sum->expert_bytes / copies.ranks;
    if (kind == LAYER_EMBEDDING || kind == LAYER_HEAD) return;
    const double gather_s =
        collective_time_s(server->system, ALL_GATHER, data, dense) +
        collective_time_s(server->system, ALL_GATHER, copies, sum->expert_bytes);
    const double wait_s = fmax(0, gather_s - sum->pass_s);
    sum->spent_s[SPENT_TENSOR] += wait_s;
    sum->pass_s += wait_s;
    sum->working_bytes += whole;
}

/* `plan` has the samples and tokens of the pass. */
static void serve_layer(const struct server *server, const struct rk_plan *plan,
                        enum layer_kind kind, const struct served *served, struct served_layer *sum)
{
    struct layer layer;
    double starts = 0;
    memset(sum, 0, sizeof *sum);
    layer_build_served(&layer, kind, server->model, plan, served);
    for (int i = 0; i < layer.operations; i++) {
        const struct operation *op = &layer.operation[i];
        const double time_s = forward_s(server, op);
        sum->spent_s[spending_of(op)] += time_s;
        sum->pass_s += time_s;
        sum->useful_flop += op->useful_flop;
        const double weights = op->parameters * weight_bytes(plan, op);
        sum->weights_bytes += weights;
        if (op->expert) sum->expert_bytes += weights;
        sum->working_bytes = fmax(sum->working_bytes, op->working_bytes);
        starts += op->kernels[RK_FORWARD];
    }
    hide_exchange(server, sum);
    const double wait_s = fmax(0, starts * host_start_s(server->system, plan) - sum->pass_s);
    sum->spent_s[SPENT_LAUNCH] += wait_s;
    sum->pass_s += wait_s;
    sum->working_bytes += 2 * layer.input_bytes;
    sum->message_bytes = layer.message_bytes;
    gather_weights(server, kind, sum);
}

/* ---- one pass through the stages ---- */

struct served_pass {
    struct served_layer sum; /* of all stages */
    double slowest_s;
    double send_s;                       /* between two stages */
    double weights_bytes[RK_MAX_STAGES]; /* of a rank of each stage */
};

/* Blocks of each kind that a stage has; returns the first block of the next one. */
static uint64_t count_stage(const struct server *server, uint64_t stage, uint64_t first,
                            double counts[LAYER_KINDS])
{
    const uint64_t blocks = rk_plan_split(server->plan, server->model, stage);
    layer_count(server->model, first, blocks, counts);
    return first + blocks;
}

static void add_layer(struct served_layer *sum, const struct served_layer *layer, double times)
{
    for (int i = 0; i < SPENDINGS; i++)
        sum->spent_s[i] += times * layer->spent_s[i];
    sum->pass_s += times * layer->pass_s;
    sum->useful_flop += times * layer->useful_flop;
    sum->weights_bytes += times * layer->weights_bytes;
    sum->working_bytes = fmax(sum->working_bytes, layer->working_bytes);
    sum->message_bytes = fmax(sum->message_bytes, layer->message_bytes);
}

/* `samples` of `tokens` each, after `cached` ones. */
static void serve_pass(const struct server *server, double samples, double tokens, double cached,
                       struct served_pass *pass)
{
    struct served_layer layer[LAYER_KINDS];
    struct rk_plan plan = *server->plan;
    double all[LAYER_KINDS] = {[LAYER_EMBEDDING] = 1, [LAYER_HEAD] = 1};
    const struct served served = {cached, server->serving->cache_element_bytes,
                                  server->serving->heads_apart, server->serving->cache_split};
    plan.cuda_graphs &= tokens == 1;
    plan.microbatch = (uint64_t)samples;
    plan.sequence = (uint64_t)tokens;
    layer_count(server->model, 0, server->model->layers, all);
    for (int kind = 0; kind < LAYER_KINDS; kind++)
        if (all[kind] > 0) serve_layer(server, &plan, (enum layer_kind)kind, &served, &layer[kind]);
    memset(pass, 0, sizeof *pass);
    for (uint64_t i = 0, first = 0; i < plan.pipeline; i++) {
        double counts[LAYER_KINDS] = {
            [LAYER_EMBEDDING] = i == 0, [LAYER_HEAD] = i + 1 == plan.pipeline};
        struct served_layer stage = {.pass_s = 0};
        first = count_stage(server, i, first, counts);
        for (int kind = 0; kind < LAYER_KINDS; kind++)
            if (counts[kind] > 0) add_layer(&stage, &layer[kind], counts[kind]);
        pass->weights_bytes[i] = stage.weights_bytes;
        pass->slowest_s = fmax(pass->slowest_s, stage.pass_s);
        add_layer(&pass->sum, &stage, 1);
    }
    if (plan.pipeline > 1)
        pass->send_s =
            collective_time_s(server->system, SEND, group_of(&server->ranks, RANKS_OF_PIPELINE),
                              pass->sum.message_bytes);
}

/* How passes go through the stages: as the first ones, after others, or in turns, where the next
 * pass of a sequence starts when the last one is through. */
enum flow { FIRST, BEHIND, IN_TURNS };

static double flow_s(enum flow flow, double through_s, double paced_s, double passes)
{
    if (flow == FIRST) return through_s + (passes - 1) * paced_s;
    return flow == BEHIND ? passes * paced_s : fmax(through_s, passes * paced_s);
}

static void add_passes(struct rk_served_step *step, const struct server *server,
                       const struct served_pass *pass, double passes, enum flow flow)
{
    const struct served_layer *sum = &pass->sum;
    const double stages = server->pipeline;
    const double through_s = sum->pass_s + (stages - 1) * pass->send_s;
    const double paced_s = pass->slowest_s + (stages > 1 ? pass->send_s : 0);
    const double time_s = flow_s(flow, through_s, paced_s, passes);
    const double share = passes / stages; /* of a stage's work in what the mean stage does */
    const double *spent_s = sum->spent_s;
    step->matrix_s += share * spent_s[SPENT_MATRIX];
    step->attention_s += share * spent_s[SPENT_ATTENTION];
    step->memory_s += share * spent_s[SPENT_MEMORY];
    step->tensor_s += share * spent_s[SPENT_TENSOR];
    step->expert_s += share * spent_s[SPENT_EXPERT];
    step->launch_s += share * spent_s[SPENT_LAUNCH];
    step->pipeline_s += time_s - share * sum->pass_s;
    step->step_s += time_s;
    step->flop += passes * sum->useful_flop * (double)server->plan->tensor * server->data;
}

/* Useful is what `sequences` of all ranks need: passes and ranks of `slots` each may not be full.
 */
static void count_useful(struct rk_served_step *step, const struct server *server, double sequences,
                         double slots)
{
    step->flop *= sequences / (slots * server->data);
}

/* ---- prompts ---- */

enum { MOST_PARTS = 64 }; /* that are timed; of more, equally many stand for each of these */

/* Long prompts, part by part: each takes longer by what is cached. */
static void prefill_parts(const struct server *server, double samples, struct rk_served_step *step)
{
    const double prompt = (double)server->serving->prompt;
    const double most = (double)server->serving->pass_tokens;
    const double parts = ceil(prompt / most), timed = fmin(parts, MOST_PARTS);
    struct served_pass pass;
    for (double i = 0; i < timed; i++) {
        const double from = floor(i * parts / timed), to = floor((i + 1) * parts / timed);
        const double done = floor((from + to) / 2) * most;
        serve_pass(server, 1, fmin(most, prompt - done), done, &pass);
        add_passes(step, server, &pass, samples * (to - from), i == 0 ? FIRST : BEHIND);
    }
}

/* `sequences` prompts of all data ranks: several in a pass, or one in parts. */
static void prefill(const struct server *server, double sequences, struct rk_served_step *step)
{
    const double samples = ceil(sequences / server->data);
    const double prompt = (double)server->serving->prompt;
    const double most = (double)server->serving->pass_tokens;
    struct served_pass pass;
    memset(step, 0, sizeof *step);
    if (prompt <= most) {
        const double together = fmin(samples, floor(most / prompt));
        const double passes = ceil(samples / together);
        serve_pass(server, ceil(samples / passes), prompt, 0, &pass);
        add_passes(step, server, &pass, passes, FIRST);
        count_useful(step, server, sequences, passes * ceil(samples / passes));
        return;
    }
    prefill_parts(server, samples, step);
    count_useful(step, server, sequences, samples);
}

/* ---- tokens ---- */

/* As many groups of sequences as stages are under way, one on each. */
static void decode(const struct server *server, double samples, double cached,
                   struct rk_served_step *step)
{
    const double groups = fmin(server->pipeline, samples);
    struct served_pass pass;
    memset(step, 0, sizeof *step);
    serve_pass(server, ceil(samples / groups), 1, cached, &pass);
    add_passes(step, server, &pass, groups, IN_TURNS);
    count_useful(step, server, (double)server->serving->batch, groups * ceil(samples / groups));
}

enum { SEGMENTS = 8 };

/* Steps grow with what is cached, in a straight line but for windows that fill: trapezoids. */
static double decoding_s(const struct server *server, double samples)
{
    const double steps = (double)server->serving->generated - 1;
    const double prompt = (double)server->serving->prompt;
    struct rk_served_step step;
    double sum_s = 0;
    if (!(steps > 0)) return 0;
    for (int i = 0; i <= SEGMENTS; i++) {
        decode(server, samples, floor(prompt + (steps - 1) * i / SEGMENTS), &step);
        sum_s += (i % SEGMENTS ? 1 : 0.5) * step.step_s;
    }
    return steps * sum_s / SEGMENTS;
}

/* ---- memory ---- */

static double stage_cache_bytes(const struct server *server, uint64_t stage, uint64_t *first)
{
    const struct rk_serving *serving = server->serving;
    const double tokens = (double)(serving->prompt + serving->generated);
    const struct served served = {.cache_element = serving->cache_element_bytes,
                                  .cache_split = serving->cache_split};
    double counts[LAYER_KINDS] = {0}, bytes = 0;
    *first = count_stage(server, stage, *first, counts);
    for (int kind = 0; kind < LAYER_KINDS; kind++)
        if (counts[kind] > 0)
            bytes += counts[kind] * layer_cache_bytes((enum layer_kind)kind, server->model,
                                                      server->plan, &served, tokens);
    return bytes;
}

/* Working memory of a pass, without weights and cache: of prompts, for which engines keep it free,
 * or of a step of decoding, whichever is more. */
static double working_of_batch(const struct server *server, double prefill_bytes, double samples)
{
    struct served_pass pass;
    serve_pass(server, ceil(samples / fmin(server->pipeline, samples)), 1,
               (double)server->serving->prompt, &pass);
    return fmax(prefill_bytes, pass.sum.working_bytes);
}

struct room { /* of the stages, what is theirs alone */
    double weights[RK_MAX_STAGES], cache[RK_MAX_STAGES];
    double prefill_bytes, context_bytes, capacity_bytes;
};

static bool has_room(const struct server *server, const struct room *room, double samples)
{
    const double rest =
        working_of_batch(server, room->prefill_bytes, samples) + room->context_bytes;
    for (uint64_t i = 0; i < server->plan->pipeline; i++)
        if (room->weights[i] + samples * room->cache[i] + rest > room->capacity_bytes) return false;
    return true;
}

/* Samples of a data rank; more never need less. */
static double most_samples(const struct server *server, const struct room *room)
{
    const double rest = room->prefill_bytes + room->context_bytes;
    double high = INFINITY, low = 0;
    for (uint64_t i = 0; i < server->plan->pipeline; i++)
        if (room->cache[i] > 0)
            high = fmin(high, floor(fmax(0, room->capacity_bytes - room->weights[i] - rest) /
                                    room->cache[i]));
    if (!(high < INFINITY) || high < 1 || has_room(server, room, high)) return high;
    while (high - low > 1) {
        const double middle = floor((low + high) / 2);
        *(has_room(server, room, middle) ? &low : &high) = middle;
    }
    return low;
}

static void judge_memory(const struct server *server, struct rk_served *served, double samples)
{
    struct room room = {.context_bytes = server->system->kernels.reserve_bytes,
                        .capacity_bytes = server->system->memory[0].capacity_bytes};
    struct served_pass pass;
    serve_pass(server, 1, (double)server->serving->pass_tokens, 0, &pass);
    room.prefill_bytes = pass.sum.working_bytes;
    served->working_bytes = working_of_batch(server, room.prefill_bytes, samples);
    served->context_bytes = room.context_bytes;
    const double rest = served->working_bytes + served->context_bytes;
    for (uint64_t i = 0, first = 0; i < server->plan->pipeline; i++) {
        const double weights = room.weights[i] = pass.weights_bytes[i];
        const double cache = room.cache[i] = stage_cache_bytes(server, i, &first);
        const double total = weights + samples * cache + rest;
        if (total <= served->total_bytes) continue;
        served->total_bytes = total;
        served->tightest = (int)i;
        served->weights_bytes = weights;
        served->sequence_bytes = cache;
        served->cache_bytes = samples * cache;
    }
    const double most = most_samples(server, &room);
    if (most < INFINITY) served->most_batch = (uint64_t)(most * server->data);
    if (served->total_bytes <= room.capacity_bytes) return;
    served->verdict = RK_MEMORY_EXCEEDED;
    served->reason = (struct rk_reason){.verdict = RK_MEMORY_EXCEEDED,
                                        .need = served->total_bytes,
                                        .have = room.capacity_bytes,
                                        .what = "memory"};
}

/* ---- all of it ---- */

/* What has no meaning here is refused, not left out. */
static const char *not_served(const struct rk_model *model, const struct rk_plan *plan)
{
    if (model->encoder_sequence) return "inference of an encoder-decoder";
    if (!rk_answerer(plan->framework)->layers) return "inference by the Calculon model";
    if (plan->context > 1) return "context parallelism of inference";
    if (plan->chunks > 1) return "interleaved stages of inference";
    if (rk_plan_layout(plan)->segments) return "layers of several kinds in inference";
    if (plan->sequence_chunks > 1)
        return "a sequence in chunks (pass-tokens gives parts of prompts)";
    if (plan->zero && plan->zero != 3) return "ZeRO 1 and 2 of inference";
    return NULL;
}

static bool refuse(const struct rk_model *model, const struct rk_system *system,
                   const struct rk_plan *plan, struct rk_served *served)
{
    static const unsigned asked = 1u << CHECK_MODEL | 1u << CHECK_DEGREES | 1u << CHECK_TENSOR |
                                  1u << CHECK_EXPERTS | 1u << CHECK_STAGES | 1u << CHECK_PRECISION |
                                  1u << CHECK_NETWORKS;
    const char *what = not_served(model, plan);
    if (what)
        served->reason = (struct rk_reason){.verdict = RK_BAD_OPTION, .tier = -1, .what = what};
    else
        plan_check_parts(model, system, plan, asked, &served->reason);
    served->verdict = served->reason.verdict;
    return served->verdict != RK_FITS;
}

static void rate(const struct server *server, struct rk_served_step *step)
{
    const double peak = operand_peak(server->system, operand_of(server->plan->precision, true));
    step->mfu = step->flop / (peak * (double)server->plan->ranks * step->step_s);
}

enum rk_verdict rk_serve(const struct rk_model *model, const struct rk_system *system,
                         const struct rk_plan *plan, const struct rk_serving *serving,
                         struct rk_served *served)
{
    memset(served, 0, sizeof *served);
    if (refuse(model, system, plan, served)) return served->verdict;
    const struct server server = {.model = model,
                                  .system = system,
                                  .plan = plan,
                                  .serving = serving,
                                  .ranks = rank_map_of(plan),
                                  .sustained = sustained_share(&system->kernels),
                                  .pipeline = (double)plan->pipeline,
                                  .data = (double)rk_plan_data(plan)};
    const double samples = ceil((double)serving->batch / server.data);
    const double prompt = (double)serving->prompt, generated = (double)serving->generated;
    served->timed = true;
    prefill(&server, 1, &served->alone);
    prefill(&server, (double)serving->batch, &served->prefill);
    decode(&server, samples, prompt, &served->first);
    decode(&server, samples, fmax(prompt, prompt + generated - 2), &served->last);
    const double decode_s = decoding_s(&server, samples);
    served->mean_token_s = generated > 1 ? decode_s / (generated - 1) : served->first.step_s;
    served->generate_s = served->prefill.step_s + decode_s;
    served->tokens_per_s = (double)serving->batch * generated / served->generate_s;
    rate(&server, &served->alone);
    rate(&server, &served->prefill);
    rate(&server, &served->first);
    rate(&server, &served->last);
    judge_memory(&server, served, samples);
    return served->verdict;
}
