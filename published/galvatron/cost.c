#include "galvatron/cost.h"

#include <math.h>

/* Backward in forwards. */
static const double backward = 2;

static int samples(const struct galvatron_job *job, const struct galvatron_strategy *strategy)
{
    return job->batch / job->chunks / strategy->data;
}

static double line_at(const struct galvatron_line *line, double x)
{
    return line->slope * x + line->offset;
}

/* Of an all-reduce among the ranks that share states: they are neighbours unless tensor
 * parallelism has those. */
static double reduce_ms_per_MB(const struct galvatron_job *job,
                               const struct galvatron_strategy *strategy)
{
    return job->hardware->allreduce_ms_per_MB[strategy->tensor == 1]
        .value[galvatron_log2(galvatron_sharers(strategy))];
}

static double message_ms(const struct galvatron_messages *messages, double MB)
{
    for (int i = 0; i < messages->count; i++)
        if (messages->MB[i] == MB) return messages->ms[i];
    return line_at(&messages->ms_of_MB, MB);
}

/* The activations between layers, all of a sequence. */
static double hidden_MB(const struct galvatron_job *job, double count, int sequence, double hidden)
{
    return count * sequence * hidden * (job->half ? 2 : 4) / 1024 / 1024;
}

/* ---- a layer ---- */

/* Backward of `compute_ms` while `MB` are reduced; the rest of the longer one runs alone. */
static double overlapped_ms(double MB, double compute_ms, double ms_per_MB, double slowdown)
{
    const double slow = ms_per_MB * slowdown;
    const double reduce_ms = MB * slow, slowed_ms = compute_ms * slowdown;
    if (reduce_ms > slowed_ms) return slowed_ms + (MB - slowed_ms / slow) * ms_per_MB;
    if (reduce_ms < slowed_ms) return reduce_ms + (compute_ms - reduce_ms / slowdown);
    return slowed_ms;
}

/* What tensor parallelism or Ulysses moves in `layers` layers, forward and backward. */
static double split_ms(const struct galvatron_job *job, const struct galvatron_strategy *strategy,
                       const struct galvatron_layers *kind)
{
    const int split = galvatron_split(strategy);
    if (split == 1) return 0;
    double count = (strategy->tensor == 1 ? 4 : 6) * kind->layers;
    if (strategy->recompute) count *= 1.5;
    const struct galvatron_messages *messages =
        &(strategy->tensor == 1 ? job->hardware->exchange
                                : job->hardware->gather)[galvatron_log2(split)];
    const double MB = hidden_MB(job, samples(job, strategy), kind->sequence, kind->hidden);
    return message_ms(messages, MB) * count;
}

struct galvatron_time galvatron_layer_time(const struct galvatron_job *job,
                                           const struct galvatron_strategy *strategy, int number)
{
    const struct galvatron_layers *kind = &job->model->kind[number];
    const struct galvatron_hardware *hardware = job->hardware;
    const int b = samples(job, strategy), sharers = galvatron_sharers(strategy);
    const double share = (double)b / galvatron_split(strategy);
    const double forward_ms = line_at(&kind->forward_ms, share) * kind->layers;
    double backward_ms = forward_ms * backward;
    if (strategy->recompute) backward_ms += forward_ms;

    double gradient_MB =
        2 * (sharers - 1) * (kind->parameter_MB / strategy->tensor / sharers) * kind->layers;
    if (job->half) gradient_MB /= 2;
    const double reduce = reduce_ms_per_MB(job, strategy);
    const double moved_ms = split_ms(job, strategy, kind);

    double ms[2]; /* without, with the reduction */
    for (int sync = 0; sync < 2; sync++) {
        if (strategy->data == 1)
            ms[sync] = forward_ms + backward_ms + moved_ms;
        else
            ms[sync] =
                forward_ms +
                overlapped_ms(sync ? gradient_MB : 0, backward_ms, reduce, hardware->overlap) +
                moved_ms;
        if (strategy->zero == GALVATRON_ZERO3) ms[sync] += gradient_MB * 0.5 * reduce;
        if (strategy->pipeline > 1) {
            double MB = (double)(strategy->pipeline * 2 * b) * kind->sequence * kind->hidden * 4 /
                        1024 / 1024;
            if (job->half) MB /= 2;
            ms[sync] += MB * hardware->p2p_ms_per_MB.value[galvatron_log2(strategy->pipeline)];
        }
        ms[sync] = ms[sync] * 0.001 / kind->layers;
    }
    return (struct galvatron_time){.sync_s = ms[1], .s = ms[0]};
}

/* ---- memory ---- */

/* The share of the states that a rank keeps. */
static double states_share(const struct galvatron_job *job, const struct galvatron_strategy *one)
{
    const double q = 1.0 / galvatron_sharers(one) + 0.003;
    const bool several = job->chunks > 1, half = job->half;
    switch (one->zero) {
    case GALVATRON_ZERO2:
        if (several && job->async) return half ? 6.0 / 8 * q + 2.0 / 8 : 2.0 / 4 * q + 2.0 / 4;
        if (several && half) return (7.0 / 8 * q + 1.0 / 8) * 5 / 4;
        return half ? 7.0 / 8 * q + 1.0 / 8 : 3.0 / 4 * q + 1.0 / 4;
    case GALVATRON_ZERO3:
        if (several && job->async) return half ? 7.0 / 8 * q + 1.0 / 8 : 3.0 / 4 * q + 1.0 / 4;
        return several ? q * 5 / 4 : q;
    default:
        return 1;
    }
}

/* Samples whose activations a stage keeps at once. */
static int kept(const struct galvatron_job *job, const struct galvatron_strategy *strategy,
                int stage)
{
    const int flights = strategy->pipeline == 1 ? 1
                        : job->gpipe            ? job->chunks
                                                : strategy->pipeline - stage;
    return flights * samples(job, strategy);
}

struct galvatron_memory galvatron_layer_memory(const struct galvatron_job *job,
                                               const struct galvatron_strategy *strategy,
                                               int number, int stage)
{
    const struct galvatron_layers *kind = &job->model->kind[number];
    const int split = galvatron_split(strategy), b = kept(job, strategy, stage);
    return (struct galvatron_memory){
        .states_MB = 4 * (kind->parameter_MB / strategy->tensor) * states_share(job, strategy),
        .activation_MB = strategy->recompute
                             ? kind->checkpoint_MB * b / split
                             : kind->activation_MB.value[galvatron_log2(split)] * b};
}

/* ---- embedding and head ---- */

static const struct galvatron_end *end_of(const struct galvatron_job *job,
                                          const struct galvatron_strategy *strategy, int stage)
{
    if (strategy->pipeline == 1) return &job->model->whole;
    if (stage == 0) return &job->model->first;
    return stage == strategy->pipeline - 1 ? &job->model->last : NULL;
}

double galvatron_end_MB(const struct galvatron_job *job, const struct galvatron_strategy *strategy,
                        int stage)
{
    const struct galvatron_end *end = end_of(job, strategy, stage);
    if (!end) return GALVATRON_CONTEXT_MB;
    const double states_MB =
        end->states_MB.value[galvatron_log2(strategy->tensor)] * states_share(job, strategy);
    return states_MB +
           end->activation_MB.value[galvatron_log2(galvatron_split(strategy))] *
               kept(job, strategy, stage) +
           GALVATRON_CONTEXT_MB;
}

/* Communication hides computing here, at the slowed pace. */
static double hidden_ms(double communication_ms, double compute_ms, double slowdown)
{
    const double slowed_ms = compute_ms * slowdown;
    return slowed_ms > communication_ms
               ? communication_ms + (slowed_ms - communication_ms) / slowdown
               : communication_ms;
}

/* The gather at an end, for the adjacent kind of layer. Its width is that of kind 0. */
static double end_gather_ms(const struct galvatron_job *job,
                            const struct galvatron_strategy *strategy, int number)
{
    if (strategy->tensor == 1) return 0;
    return message_ms(&job->hardware->gather[galvatron_log2(strategy->tensor)],
                      hidden_MB(job, samples(job, strategy), job->model->kind[number].sequence,
                                job->model->kind[0].hidden));
}

struct galvatron_time galvatron_end_time(const struct galvatron_job *job,
                                         const struct galvatron_strategy *strategy, int stage)
{
    const struct galvatron_end *end = end_of(job, strategy, stage);
    if (!end) return (struct galvatron_time){0, 0};
    const bool whole = strategy->pipeline == 1, zero3 = strategy->zero == GALVATRON_ZERO3;
    const int sharers = galvatron_sharers(strategy), last_kind = job->model->kinds - 1;
    const double share = (double)samples(job, strategy) / galvatron_split(strategy);
    const double all_ms = line_at(&job->model->other_ms, share);
    const double forward_ms = whole ? all_ms : all_ms / 2;
    const double MB =
        end->states_MB.value[galvatron_log2(strategy->tensor)] / 4 * (job->half ? 0.5 : 1.0);
    const double reduce_ms = MB * (reduce_ms_per_MB(job, strategy) * (sharers - 1) / sharers);
    const double gather_ms = (stage == 0 ? end_gather_ms(job, strategy, 0) : 0) +
                             (whole || stage > 0 ? end_gather_ms(job, strategy, last_kind) : 0);
    double ms[2];
    for (int sync = 0; sync < 2; sync++)
        ms[sync] = hidden_ms(reduce_ms * (zero3 ? 0.5 : 0.0), forward_ms, job->hardware->overlap) +
                   hidden_ms(reduce_ms * ((zero3 ? 1.0 : 0.5) - (sync ? 0 : 0.5)),
                             forward_ms * backward, job->hardware->overlap) +
                   gather_ms;
    return (struct galvatron_time){.sync_s = 0.001 * ms[1], .s = 0.001 * ms[0]};
}

/* ---- between layers ---- */

static int longest(const struct galvatron_model *model)
{
    int sequence = 0;
    for (int i = 0; i < model->kinds; i++)
        if (model->kind[i].sequence > sequence) sequence = model->kind[i].sequence;
    return sequence;
}

static int world(const struct galvatron_job *job)
{
    return job->hardware->nodes * job->hardware->gpus_per_node;
}

double galvatron_buffer_MB(const struct galvatron_job *job, int pipeline, int buffer)
{
    const int data = world(job) / pipeline / buffer;
    const double b = (double)job->batch / job->chunks / data;
    return b * job->model->kind[0].hidden * longest(job->model) * 4 / 1024 / 1024 / 2;
}

/* What sorts strategies of equal cost; of the rules that apply the last one counts. */
static double bias_s(const struct galvatron_strategy *former,
                     const struct galvatron_strategy *latter)
{
    const bool degrees = former->tensor == latter->tensor && former->ulysses == latter->ulysses &&
                         former->data == latter->data;
    const bool zero = former->zero == latter->zero;
    const bool recompute = former->recompute == latter->recompute;
    const bool zero3 = latter->zero == GALVATRON_ZERO3;
    double bias = 0;
    if (galvatron_split(former) == galvatron_split(latter) && former->data == latter->data &&
        zero && recompute && former->ulysses != latter->ulysses && latter->ulysses > 1)
        bias = 1e-10;
    if (degrees && recompute && !zero && zero3) bias = 1e-9;
    if (degrees && zero && !recompute && latter->recompute) bias = 2e-9;
    if (degrees && !(zero && recompute) && zero3 && latter->recompute) bias = 3e-9;
    if (degrees && !zero && !recompute && former->zero == GALVATRON_ZERO3 && latter->recompute)
        bias = 1e-9;
    return bias;
}

double galvatron_change_s(const struct galvatron_job *job, const struct galvatron_strategy *former,
                          const struct galvatron_strategy *latter, int number)
{
    const int from = galvatron_split(former), to = galvatron_split(latter);
    if (galvatron_same(former, latter)) return 0;
    if (from == to) return bias_s(former, latter);
    const struct galvatron_layers *kind = &job->model->kind[number];
    const int greater = from > to ? from : to;
    const int data = world(job) / former->pipeline / greater;
    const double b = (double)job->batch / job->chunks / data;
    const double sample = kind->sequence * job->model->kind[0].hidden * (job->half ? 2 : 4);
    return (double)(greater - 1) / greater * b * sample *
           (job->hardware->allreduce_ms_per_MB[1].value[galvatron_log2(greater)] *
            job->change_scale);
}

/* ---- a step ---- */

double galvatron_sum(int count, const double *term)
{
    double sum = 0, lane[8];
    int done = 0;
    if (count > 128) { /* in halves of whole eights */
        const int half = count / 2 - count / 2 % 8;
        return galvatron_sum(half, term) + galvatron_sum(count - half, term + half);
    }
    if (count >= 8) {
        for (int j = 0; j < 8; j++)
            lane[j] = term[j];
        for (done = 8; done + 8 <= count; done += 8)
            for (int j = 0; j < 8; j++)
                lane[j] += term[done + j];
        sum = ((lane[0] + lane[1]) + (lane[2] + lane[3])) +
              ((lane[4] + lane[5]) + (lane[6] + lane[7]));
    }
    for (; done < count; done++)
        sum += term[done];
    return sum;
}

double galvatron_step_s(int stages, int chunks, const double *stage_s, const double *sync_s)
{
    const double behind = galvatron_sum(stages - 1, stage_s + 1);
    const double flights = stages < chunks ? stages - 1 : chunks - 1;
    const double last = galvatron_sum(stages, stage_s) + stage_s[stages - 1] * (chunks - 1);
    const double steady = chunks + 1 > stages ? chunks + 1 - stages : 0;
    const double first = fmax(flights * stage_s[0] / 3, behind / 3) +
                         fmax(flights * stage_s[0] * 2 / 3, behind * 2 / 3) + stage_s[0] * steady;
    double late = 0;
    for (int i = 0; i < stages; i++)
        late = fmax(late, sync_s[i] - galvatron_sum(i + 1, stage_s));
    return fmax(last, first) + late;
}

void galvatron_division(int layers, int stages, int *division)
{
    for (int i = 0; i < stages; i++)
        division[i] = layers / stages;
    division[stages - 1] += layers % stages;
}
