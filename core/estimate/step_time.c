/* step_time.c - the time of a step from those of its stages: the pipeline and its end.
 * docs/prediction.md has the formulas. */
#include "base/extremes.h"
#include "estimate/stages.h"
#include "schedule/pace.h"

static double forward_of(const struct stage_sum *sum)
{
    return sum->pass_s[FOLD_FORWARD] + sum->data_s[FOLD_FORWARD];
}

static double backward_of(const struct stage_sum *sum)
{
    return backward_s(sum) + sum->data_s[FOLD_AGRAD];
}

double send_s_of(const struct layer_folds *fold, const struct rk_system *system,
                 const struct rk_plan *plan)
{
    if (plan->pipeline == 1) return 0;
    const struct rank_map map = rank_map_of(plan);
    const struct rank_group group = group_of(&map, RANKS_OF_PIPELINE);
    const double both_s = collective_time_s(system, SEND, group, fold->message_bytes);
    return plan->pipeline == 2 && copied_between(system, group) ? both_s / 2 : both_s;
}

bool sends_wait(const struct rk_plan *plan)
{
    return plan->chunks == 1 || plan->pipeline_blocking;
}

static void times_of(struct stage_times times[RK_MAX_STAGES], const struct staged *staged)
{
    struct stage_times classes[RK_MAX_STAGES];
    const struct stage_map *map = staged->map;
    for (int i = 0; i < map->classes; i++) {
        const struct stage_sum *sum = &staged->sums[i];
        const double put_off_s = staged->ends[i].put_off_s / staged->microbatches;
        classes[i] = (struct stage_times){.forward_s = forward_of(sum),
                                          .backward_s = backward_of(sum) - put_off_s,
                                          .wgrad_s = sum->pass_s[FOLD_WGRAD]};
    }
    for (int i = 0; i < map->stages; i++)
        times[i] = classes[map->class_of[i]];
}

/* Messages of chunks that are done continue while a stage waits for the slowest one, between the
 * chunks of its last microbatch and of its first. */
static double end_data_s(const struct staged *staged, int class, int slowest, double chunks)
{
    const struct stage_end *end = &staged->ends[class];
    const struct stage_sum *own = &staged->sums[class], *pace = &staged->sums[slowest];
    if (!(chunks > 1 && end->reduce_excess_s + end->gather_excess_s > 0)) return end->data_s;
    const double idle_s =
        larger(0, forward_of(pace) + backward_of(pace) - forward_of(own) - backward_of(own));
    const double more_s = (1 - 1 / chunks) * idle_s;
    const double reduced_s = smaller(end->reduce_excess_s, more_s);
    const double gathered_s = smaller(end->gather_excess_s, more_s - reduced_s);
    return end->data_s - reduced_s - (1 - end->gather_share) * gathered_s;
}

/* How a stage of a class ends: what it has left to do after backward, and its part in draining. */
struct ending {
    double data_s, left_s, drain_s;
};

static void endings_of(struct ending endings[RK_MAX_STAGES], const struct staged *staged,
                       const struct rk_plan *plan, int slowest)
{
    const double chunks = (double)plan->chunks;
    for (int i = 0; i < staged->map->classes; i++) {
        const struct stage_end *end = &staged->ends[i];
        const double data_s = end_data_s(staged, i, slowest, chunks);
        endings[i] = (struct ending){.data_s = data_s,
                                     .left_s = end->put_off_s + data_s + end->optimizer_s,
                                     .drain_s = backward_of(&staged->sums[i]) / chunks};
    }
}

/* Stages end one after another, the first one last, those of a V together: the work of stage i
 * after backward runs while earlier stages drain. Returns the stage whose end is last. */
static int last_end(const struct staged *staged, const struct rk_plan *plan, int slowest,
                    double *slack_s, double *data_s)
{
    const struct stage_map *map = staged->map;
    struct ending endings[RK_MAX_STAGES];
    double drained_s = 0, worst_s = -1;
    int last = 0;
    const bool together = rk_schedule_folds(plan->schedule);
    endings_of(endings, staged, plan, slowest);
    *slack_s = 0;
    for (int i = 0; i < map->stages; i++) {
        const struct ending *own = &endings[map->class_of[i]];
        if (own->left_s - drained_s > worst_s) {
            worst_s = own->left_s - drained_s;
            last = i;
            *slack_s = drained_s;
        }
        if (!together) drained_s += own->drain_s;
    }
    *data_s = endings[map->class_of[last]].data_s;
    return last;
}

/* The time before the drained part is neither optimizer's nor data parallelism's. */
static void outline_end(struct step_outline *outline, const struct staged *staged,
                        const struct rk_plan *plan)
{
    double slack_s, data_s;
    const int slowest = staged->map->class_of[outline->slowest];
    outline->last = last_end(staged, plan, slowest, &slack_s, &data_s);
    const struct stage_end *end = &staged->ends[staged->map->class_of[outline->last]];
    outline->bubble_s += larger(0, end->put_off_s - slack_s);
    slack_s = larger(0, slack_s - end->put_off_s);
    outline->data_end_s = larger(0, data_s - slack_s);
    outline->optimizer_s = larger(0, end->optimizer_s - larger(0, slack_s - data_s));
}

/* The stage at the same distance from the far end, of which a rank of DualPipe has half of the
 * microbatches; of other schedules the stage itself. */
static const struct stage_sum *beside(const struct staged *staged, const struct rk_plan *plan,
                                      int stage)
{
    const int other = plan->schedule == RK_DUALPIPE ? staged->map->stages - 1 - stage : stage;
    return &staged->sums[staged->map->class_of[other]];
}

void step_outline(struct step_outline *outline, const struct staged *staged,
                  const struct rk_plan *plan)
{
    struct stage_times times[RK_MAX_STAGES];
    times_of(times, staged);
    const struct pipeline pipeline = pipeline_of(plan, staged->microbatches);
    const struct messages messages = {staged->send_s, sends_wait(plan)};
    const struct pace pace = pipeline_pace(&pipeline, times, messages);
    const struct stage_sum *sum = &staged->sums[staged->map->class_of[pace.stage]];
    const struct stage_sum *other = beside(staged, plan, pace.stage);
    outline->slowest = pace.stage;
    outline->bubble_s = pace.wait_s - staged->ends[staged->map->class_of[pace.stage]].put_off_s;
    outline->pipeline_s = pace.messages_s;
    const double both_s =
        (forward_of(sum) + backward_of(sum)) + (forward_of(other) + backward_of(other));
    const double work_s = staged->microbatches * both_s / 2;
    outline_end(outline, staged, plan);
    outline->step_s = work_s + outline->bubble_s + outline->pipeline_s + outline->data_end_s +
                      outline->optimizer_s;
}

static double spent(const struct stage_sum *sum, enum spending spending)
{
    return sum->spent_s[FOLD_FORWARD][spending] + sum->spent_s[FOLD_AGRAD][spending] +
           sum->spent_s[FOLD_WGRAD][spending];
}

void microbatches_add(struct rk_prediction *p, const struct stage_sum *sum, double m)
{
    p->matrix_s += m * spent(sum, SPENT_MATRIX);
    p->attention_s += m * spent(sum, SPENT_ATTENTION);
    p->memory_s += m * spent(sum, SPENT_MEMORY);
    p->tensor_s += m * spent(sum, SPENT_TENSOR);
    p->context_s += m * spent(sum, SPENT_CONTEXT);
    p->expert_s += m * spent(sum, SPENT_EXPERT);
    p->offload_s += m * spent(sum, SPENT_OFFLOAD);
    p->launch_s += m * spent(sum, SPENT_LAUNCH);
    p->recompute_s += m * sum->pass_s[FOLD_RECOMPUTE];
    p->data_s += m * (sum->data_s[FOLD_FORWARD] + sum->data_s[FOLD_AGRAD]);
    p->tensor_link_s += m * sum->link_s[LINK_TENSOR];
    p->context_link_s += m * sum->link_s[LINK_CONTEXT];
    p->expert_link_s += m * sum->link_s[LINK_EXPERT];
    p->data_link_s += m * sum->data_link_s;
}

void step_time(struct rk_prediction *p, const struct staged *staged, const struct rk_plan *plan)
{
    struct step_outline outline;
    const uint16_t *class_of = staged->map->class_of;
    step_outline(&outline, staged, plan);
    microbatches_add(p, &staged->sums[class_of[outline.slowest]], staged->microbatches / 2);
    microbatches_add(p, beside(staged, plan, outline.slowest), staged->microbatches / 2);
    p->slowest = outline.slowest;
    p->bubble_s = outline.bubble_s;
    p->pipeline_s = outline.pipeline_s;
    p->optimizer_s = outline.optimizer_s;
    p->data_s += outline.data_end_s;
    p->data_link_s += staged->ends[class_of[outline.last]].data_link_s;
    p->step_s = outline.step_s;
}
