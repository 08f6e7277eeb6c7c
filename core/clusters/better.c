#include "clusters/better.h"

#include "clusters/told.h"
#include "estimate/plan_check.h"

#include <math.h>
#include <string.h>

void better_close(struct better *b)
{
    clusters_kept_release(&b->seeds);
}

bool better_is_stopped(struct better *b)
{
    const struct clusters_question *q = b->question;
    b->answer->stopped = b->answer->stopped || (q->stopped && q->stopped(q->stopper));
    return b->answer->stopped;
}

bool clusters_stages_alike(const struct clusters_plan *plan)
{
    const struct clusters_stage *first = &plan->stage[0];
    bool alike = plan->schedule == RK_1F1B;
    for (int i = 0; i < plan->stages && alike; i++) {
        const struct clusters_stage *s = &plan->stage[i];
        alike = !s->homes && s->activations_away <= 0 && s->tensor == first->tensor &&
                s->context == first->context && s->expert == first->expert &&
                s->data == first->data && s->recompute == first->recompute &&
                s->zero == first->zero && s->expert_overlap == first->expert_overlap &&
                s->optimizer_away == first->optimizer_away;
    }
    return alike;
}

/* Experts whose exchange overlaps need virtual stages where there is a pipeline, ZeRO 2 none. */
static bool starts(const struct better *b, const struct clusters_plan *plan)
{
    bool starts = true;
    for (int i = 0; i < plan->stages && plan->stages > 1; i++) {
        const struct clusters_stage *s = &plan->stage[i];
        starts &= b->question->zero || s->zero < 2;
        starts &= !s->expert_overlap || !b->question->model->experts || plan->chunks > 1;
    }
    return starts;
}

bool better_consider(struct better *b, const struct clusters_plan *plan, double less_than_s)
{
    struct clusters_answer *answer = b->answer;
    if (!isfinite(plan->simulated_s) || !starts(b, plan)) return false;
    if (!clusters_counts(b->question, plan)) return false;
    const bool better = plan->simulated_s < less_than_s;
    const bool apart = better || plan->simulated_s >= answer->best.simulated_s;
    if (b->kept && apart) b->failed |= !clusters_keep(b->kept, plan);
    if (plan->stages > 1) b->failed |= !clusters_keep(&b->seeds, plan);
    if (better) answer->best = *plan;
    return better;
}

/* ---- interleaving ---- */

/* The given plan with each stage's layers in so many runs, as even as they go; false: a stage has
 * too few layers, or microbatches do not fill the pipeline, as launchers want them to. */
static bool interleave(const struct better *b, struct given_plan *given, int runs)
{
    const uint64_t microbatches = b->question->words.batch / given->round;
    const bool filled = given->stages > 1 && microbatches % (uint64_t)given->stages == 0;
    const bool enough = microbatches >= (uint64_t)given->stages;
    if (!enough && plan_must_fill(&b->question->words)) return false;
    if ((runs > 1 && !filled) || runs * given->stages > RK_MAX_CHUNKS) return false;
    given->chunks = runs;
    for (int i = 0; i < given->stages; i++) {
        const int layers = given->stage[i].layers;
        if (layers < runs) return false;
        for (int k = 0; k < runs; k++)
            given->split[k * given->stages + i] =
                (uint16_t)(layers * (k + 1) / runs - layers * k / runs);
    }
    return true;
}

bool better_has_runs(const struct better *b)
{
    const enum rk_schedule schedule = b->question->words.schedule;
    return schedule == RK_1F1B || schedule == RK_GPIPE;
}

/* b->given in so many runs, in b->other; false: it cannot be. */
static bool judge(struct better *b, int runs)
{
    struct given_fault fault;
    b->other.simulated_s = INFINITY;
    if (!interleave(b, &b->given, runs)) return false;
    if (!given_judge(b->question, &b->given, &b->other, &fault)) {
        b->failed = true;
        return false;
    }
    const bool good = fault.reason.verdict == RK_FITS && starts(b, &b->other) &&
                      (!b->alike || clusters_stages_alike(&b->other));
    if (!good) b->other.simulated_s = INFINITY;
    return good;
}

/* ---- one choice ---- */

/* Twice or half of a number; false: there is no half. */
static bool scale(uint64_t *number, bool up)
{
    if (!up && *number % 2) return false;
    *number = up ? *number * 2 : *number / 2;
    return true;
}

/* What can be done to a stage. */
enum choice {
    TENSOR_UP,
    TENSOR_DOWN,
    EXPERT_UP,
    EXPERT_DOWN,
    GPUS_UP,
    GPUS_DOWN,
    KEEP_ALL, /* from here on stages that have it stay as they are */
    KEEP_SOME,
    KEEP_NONE,
    OVERLAP_OFF,
    OVERLAP_ON,
    LIKE_FIRST, /* tensor and expert degree and overlap of that stage, on as many GPUs as now */
    LIKE_LAST,
    CHOICES
};

/* May it be chosen, and can it be? Then `plan` and `data` have it. */
static bool change(const struct clusters_question *q, enum choice choice, struct rk_plan *plan,
                   uint64_t *data)
{
    switch (choice) {
    case TENSOR_UP:
    case TENSOR_DOWN:
        return !q->tensor && scale(&plan->tensor, choice == TENSOR_UP) &&
               scale(data, choice == TENSOR_DOWN);
    case EXPERT_UP:
    case EXPERT_DOWN:
        return !q->expert && q->model->experts && scale(&plan->expert, choice == EXPERT_UP) &&
               q->model->experts % plan->expert == 0;
    case GPUS_UP:
    case GPUS_DOWN:
        return scale(data, choice == GPUS_UP);
    case OVERLAP_OFF:
    case OVERLAP_ON:
        plan->expert_overlap = choice == OVERLAP_ON;
        return !q->expert_overlap && (choice == OVERLAP_OFF || clusters_overlaps(q, plan));
    default:
        plan->recompute = (enum rk_recompute_mode)(choice - KEEP_ALL);
        return !q->recompute && (plan->recompute != RK_WHOLE || !plan->expert_overlap);
    }
}

static bool be_like(const struct clusters_question *q, const struct rk_plan *like,
                    struct rk_plan *plan, uint64_t *data)
{
    const uint64_t replicas = *data * plan->tensor;
    if (replicas % like->tensor) return false;
    *data = replicas / like->tensor;
    plan->tensor = like->tensor;
    plan->expert = like->expert;
    plan->expert_overlap =
        like->expert_overlap && (q->expert_overlap || clusters_overlaps(q, plan));
    return true;
}

/* True: the stage is another one. */
static bool choose(const struct better *b, struct given_stage *stage, enum choice choice)
{
    const struct given_stage *like = &b->given.stage[choice == LIKE_LAST ? b->given.stages - 1 : 0];
    struct given_part *part = &stage->part[0];
    const struct rk_plan before = part->plan;
    struct rk_plan now = before;
    if (stage->parts > 1) return false;
    if (!(choice >= LIKE_FIRST ? be_like(b->question, &like->part[0].plan, &now, &part->data)
                               : change(b->question, choice, &now, &part->data)))
        return false;
    part->plan = clusters_stage_words(&b->question->words, now.tensor, now.context, now.expert,
                                      now.recompute);
    part->plan.zero = now.zero;
    part->plan.expert_overlap = now.expert_overlap;
    memcpy(part->plan.share, before.share, sizeof before.share);
    return choice < KEEP_ALL || now.tensor != before.tensor || now.expert != before.expert ||
           now.recompute != before.recompute || now.expert_overlap != before.expert_overlap;
}

/* Of stage `i`; -1: of all. */
static bool choose_of(struct better *b, int i, enum choice choice)
{
    bool changed = false;
    for (int k = i < 0 ? 0 : i; k < (i < 0 ? b->given.stages : i + 1); k++) {
        const bool one = choose(b, &b->given.stage[k], choice);
        if (!one && choice < KEEP_ALL) return false;
        changed |= one;
    }
    return changed;
}

bool better_interleave(struct better *b, const struct clusters_plan *plan, int from, int to)
{
    for (int overlap = 0; overlap < 2; overlap++)
        for (int runs = from; runs <= to && better_has_runs(b); runs++) {
            given_of(b->question, plan, &b->given);
            if (overlap && !choose_of(b, -1, OVERLAP_ON)) return !b->failed;
            if (judge(b, runs)) better_consider(b, &b->other, b->answer->best.simulated_s);
        }
    return !b->failed;
}

static bool change_round(struct better *b, bool up)
{
    const struct clusters_question *q = b->question;
    if (q->round || !scale(&b->given.round, up)) return false;
    return q->words.batch % b->given.round == 0 && b->given.round > 0;
}

static bool move_layers(struct better *b, int from, int to, int layers)
{
    b->given.stage[from].layers -= layers;
    b->given.stage[to].layers += layers;
    return b->given.stage[from].layers > 0;
}

/* The stages in the other order. */
static bool turn(struct better *b)
{
    struct given_plan *g = &b->given;
    for (int i = 0; i < g->stages / 2; i++) {
        const struct given_stage stage = g->stage[i];
        g->stage[i] = g->stage[g->stages - 1 - i];
        g->stage[g->stages - 1 - i] = stage;
    }
    return g->stages > 1;
}

/* ---- neighbors ---- */

/* Of a plan's step, up to which another one's layers are dealt anew. */
static const double NEAR = 1.1;

enum { STAGES_CHANGED = 4 }; /* of longer pipelines stages are changed together */

/* Takes b->other where it is better than what is at hand. */
static bool take(struct better *b, int runs)
{
    if (!judge(b, runs)) return false;
    better_consider(b, &b->other, b->answer->best.simulated_s * (1 - 1e-9));
    if (!(b->other.simulated_s < b->now.simulated_s * (1 - 1e-9)) ||
        !clusters_counts(b->question, &b->other))
        return false;
    b->now = b->other;
    if (b->now.chunks == 1) b->answer->straight_s = fmin(b->answer->straight_s, b->now.simulated_s);
    return true;
}

static void begin(struct better *b)
{
    given_of(b->question, &b->now, &b->given);
}

/* Two stages between which layers can move: neighbors, of short pipelines any. */
static bool can_trade(const struct better *b, int from, int to)
{
    const int apart = from < to ? to - from : from - to;
    return apart == 1 || (apart && b->now.stages <= STAGES_CHANGED);
}

/* Layers move to another stage: one, or one of each run. */
static bool settle_layers(struct better *b)
{
    const int stages = b->now.stages, all = 2 * stages * stages;
    bool any = false;
    for (int i = 0, tried = 0; tried < all && !b->failed; tried++, i = (i + 1) % all) {
        const int from = i / 2 / stages, to = i / 2 % stages, layers = i & 1 ? b->now.chunks : 1;
        if (!can_trade(b, from, to) || (i & 1 && layers == 1)) continue;
        if (better_is_stopped(b)) return any;
        for (bool better = true; better;) {
            begin(b);
            better = move_layers(b, from, to, layers) && take(b, b->now.chunks);
            if (better) tried = -1;
            any |= better;
        }
    }
    return any;
}

/* More or fewer runs. */
static bool settle_runs(struct better *b)
{
    bool any = false;
    for (int runs = 1; runs <= RUNS_OF_BEST && better_has_runs(b); runs++) {
        begin(b);
        if (runs != b->now.chunks) any |= take(b, runs);
    }
    return any;
}

/* Takes a changed plan whose layers are dealt anew where it then is better. */
static bool take_settled(struct better *b)
{
    if (take(b, b->now.chunks)) return true;
    if (!(b->other.simulated_s < NEAR * b->now.simulated_s) || b->now.stages == 1) return false;
    b->before = b->now;
    b->now = b->other;
    settle_layers(b);
    if (b->now.simulated_s < b->before.simulated_s * (1 - 1e-9) &&
        clusters_counts(b->question, &b->now))
        return true;
    b->now = b->before;
    return false;
}

/* One choice of one stage, or of all. */
static bool settle_choices(struct better *b)
{
    const bool together = b->now.stages == 1 || b->now.stages > STAGES_CHANGED || b->alike;
    bool any = false;
    for (int i = -1; i < (together ? 0 : b->now.stages) && !b->failed; i++)
        for (int choice = 0; choice < CHOICES; choice++) {
            if (better_is_stopped(b)) return any;
            begin(b);
            if (choose_of(b, i, (enum choice)choice)) any |= take_settled(b);
        }
    for (int up = 0; up < 2; up++) {
        begin(b);
        if (change_round(b, up)) any |= take_settled(b);
    }
    begin(b);
    if (turn(b)) any |= take_settled(b);
    return any;
}

/* Until nothing makes the plan at hand better. */
static void settle_one(struct better *b)
{
    bool better = true;
    while (better && !b->failed && !b->answer->stopped) {
        better = settle_layers(b);
        better |= settle_runs(b);
        if (!better) better = settle_choices(b);
    }
}

bool better_settle(struct better *b)
{
    struct clusters_kept seeds = b->seeds;
    b->seeds = (struct clusters_kept){.most = 0};
    for (int i = 0; i < seeds.count && !b->failed; i++) {
        b->now = *seeds.plan[i];
        if (!b->now.stage[0].homes) settle_one(b);
    }
    clusters_kept_release(&seeds);
    return !b->failed;
}
