#include "run/train.h"

#include "run/checkpoint.h"
#include "run/team.h"

#include <math.h>
#include <reckon/program.h>
#include <stdlib.h>
#include <string.h>

static void report(struct team *team, uint64_t step, const struct step_result *r)
{
    const struct job *job = team->job;
    const struct rk_train_step said = {
        .step = step + 1,
        .loss = r->loss,
        .norm = r->norm,
        .rate = r->rate,
        .wall_s = r->wall_s,
        .tokens = (double)job->plan.batch * (double)job->sequence,
        .peak_bytes = r->peak_bytes,
    };
    struct rk_train_result *out = team->result;
    if (!out->steps) out->first_loss = r->loss;
    if (!out->steps || r->wall_s < out->step_s) out->step_s = r->wall_s;
    out->steps++;
    out->last_loss = r->loss;
    out->tokens += said.tokens;
    out->wall_s += r->wall_s;
    if (team->run->step && !team->run->step(team->run->context, &said)) team->stop = true;
}

/* The least seconds a step of each part, over the steps of a rank. */
struct least {
    struct ledger before, step;
    bool known;
};

static void note_step(struct least *least, const struct ledger *now)
{
    for (int i = 0; i < LEDGER_PARTS; i++) {
        const double cpu_s = now->part[i].cpu_s - least->before.part[i].cpu_s;
        const double wall_s = now->part[i].wall_s - least->before.part[i].wall_s;
        struct ledger_row *row = &least->step.part[i];
        if (!least->known || cpu_s < row->cpu_s) row->cpu_s = cpu_s;
        if (!least->known || wall_s < row->wall_s) row->wall_s = wall_s;
        row->sent_bytes = now->part[i].sent_bytes - least->before.part[i].sent_bytes;
    }
    least->before = *now;
    least->known = true;
}

static void count_up(struct team *team, const struct ledger *step, const struct engine *engine,
                     const struct step_result *last)
{
    const struct weights *weights = team->kind->weights(engine);
    const struct rk_train_state state = team->kind->state(engine);
    struct rk_train_result *out = team->result;
    uint64_t elements = 0;
    for (int g = 0; g < weights->groups; g++)
        elements += weights->group[g].size;
    pthread_mutex_lock(&team->lock);
    for (int i = 0; i < LEDGER_PARTS; i++) {
        const struct ledger_row *row = &step->part[i];
        if (row->cpu_s > out->part_cpu_s[i]) out->part_cpu_s[i] = row->cpu_s;
        if (row->wall_s > out->part_wall_s[i]) out->part_wall_s[i] = row->wall_s;
        out->part_sent_bytes[i] += (double)row->sent_bytes;
    }
    if (elements * team->kind->real_bytes > out->weights_bytes)
        out->weights_bytes = elements * team->kind->real_bytes;
    if (last->peak_bytes > out->peak_bytes) out->peak_bytes = last->peak_bytes;
    if (last->placed_bytes > out->placed_bytes) out->placed_bytes = last->placed_bytes;
    if (last->live_bytes > out->live_bytes) out->live_bytes = last->live_bytes;
    out->state.weight_bytes = fmax(out->state.weight_bytes, state.weight_bytes);
    out->state.gradient_bytes = fmax(out->state.gradient_bytes, state.gradient_bytes);
    out->state.tied_bytes = fmax(out->state.tied_bytes, state.tied_bytes);
    out->state.optimizer_bytes = fmax(out->state.optimizer_bytes, state.optimizer_bytes);
    pthread_mutex_unlock(&team->lock);
}

static void count_tiers(struct team *team, const struct rk_train_tier *now,
                        const struct rk_train_tier *before, uint64_t steps)
{
    const double n = (double)steps;
    pthread_mutex_lock(&team->lock);
    for (int i = 0; i < RK_SHARE_TIERS; i++) {
        struct rk_train_tier *out = &team->result->tier[i];
        out->weight_bytes += now[i].weight_bytes;
        out->optimizer_bytes += now[i].optimizer_bytes;
        out->activation_bytes += now[i].activation_bytes;
        out->handed_bytes += now[i].handed_bytes;
        out->written_bytes += (now[i].written_bytes - before[i].written_bytes) / n;
        out->read_bytes += (now[i].read_bytes - before[i].read_bytes) / n;
        out->write_s += (now[i].write_s - before[i].write_s) / n;
        out->read_s += (now[i].read_s - before[i].read_s) / n;
    }
    pthread_mutex_unlock(&team->lock);
}

/* What rank 0 says, all do. */
static bool agree_to_stop(struct comm *comm, bool stop, bool *all_stop)
{
    int ranks[comm->ranks];
    char flags[comm->ranks], mine = stop;
    for (int i = 0; i < comm->ranks; i++)
        ranks[i] = i;
    const struct comm_group world = {comm->ranks, comm->rank, ranks};
    const bool ok = comm_all_gather(comm, &world, "end of a step", &mine, flags, 1);
    *all_stop = ok && flags[0];
    return ok;
}

static bool take_steps(struct team *team, struct comm *comm, struct engine *engine)
{
    const struct job *job = team->job;
    const struct rk_train_run *run = team->run;
    struct step_result result = {.loss = 0};
    struct least least = {.known = false};
    uint64_t saved = UINT64_MAX, step = team->checkpoint ? team->checkpoint->step : 0, steps = 0;
    struct rk_train_tier before[RK_SHARE_TIERS] = {{0}}, now[RK_SHARE_TIERS] = {{0}};
    bool stop = false;
    team->kind->tiers(engine, before);
    while (step < job->settings.steps && !stop) {
        if (!team->kind->step(engine, step, &result)) return false;
        step++;
        steps++;
        note_step(&least, team->kind->ledger(engine));
        if (comm->rank == 0) report(team, step - 1, &result);
        if (!agree_to_stop(comm, team->stop && comm->rank == 0, &stop)) return false;
        if (run->save && run->save_every && step % run->save_every == 0) {
            if (!checkpoint_save(run->save, job, team->kind, engine, step)) return false;
            saved = step;
        }
    }
    team->kind->tiers(engine, now);
    if (steps) count_tiers(team, now, before, steps);
    if (run->save && saved != step && !checkpoint_save(run->save, job, team->kind, engine, step))
        return false;
    if (steps) count_up(team, &least.step, engine, &result);
    return true;
}
/* Tiers that are drives need a folder. */
static enum rk_status check_drives(const struct job *job, struct rk_error *error)
{
    for (int t = 0; t < RK_SHARE_TIERS; t++)
        if (job_uses_tier(job, t) && job_tier_is_drive(job, t) && !job->drives)
            return rk_fail(error, RK_USAGE, NULL, 0, 0,
                           "memory tier %d of %s are drives: say where their files go, --drives "
                           "FOLDER",
                           t + 1, job->system->id);
    return RK_OK;
}

static enum rk_status check_samples(const struct job *job, const struct rk_train_run *run,
                                    struct rk_error *error)
{
    const uint64_t samples = job->settings.steps * job->plan.batch;
    if (run->functions) return RK_OK;
    if (job->settings.repeat || samples <= job->data->windows) return RK_OK;
    return rk_fail(
        error, RK_BAD_INPUT, run->data, 0, 0,
        "%llu samples of %llu tokens, and %llu steps take %llu: give more data, fewer steps, or "
        "--repeat",
        (unsigned long long)job->data->windows, (unsigned long long)job->sequence,
        (unsigned long long)job->settings.steps, (unsigned long long)samples);
}

static enum rk_status check_checkpoint(const struct checkpoint *c, const struct job *job,
                                       const char *path, struct rk_error *error)
{
    if (c->moments && c->seed != job->settings.seed)
        return rk_fail(error, RK_BAD_INPUT, path, 0, 0,
                       "the run began with seed %llu, and goes on only with it: say --seed %llu",
                       (unsigned long long)c->seed, (unsigned long long)c->seed);
    if (c->step < job->settings.steps) return RK_OK;
    return rk_fail(error, RK_BAD_INPUT, path, 0, 0,
                   "%llu steps are done, and --steps %llu asks for no more",
                   (unsigned long long)c->step, (unsigned long long)job->settings.steps);
}

/* All that can be known before the first step. */
static enum rk_status prepare(struct job *job, struct data *data, struct checkpoint *checkpoint,
                              const struct rk_train_run *run, double share, struct rk_error *error)
{
    struct rk_program program = {.rank = 0};
    job->data = data;
    job->system = run->system;
    job->functions = run->functions;
    job->drives = run->drives;
    /* what the checker refuses, it refuses here */
    enum rk_status status = rk_program_of(&program, &job->model, run->system, &job->plan, 0, error);
    rk_program_release(&program);
    if (status == RK_OK) status = check_memory(job, share, 4, error);
    if (status == RK_OK) status = check_drives(job, error);
    if (status == RK_OK && run->functions && !run->functions->collate)
        status = rk_fail(error, RK_USAGE, NULL, 0, 0, "a task needs a function collate");
    if (status == RK_OK && !run->functions)
        status = data_open(data, run->data, job->sequence, job->model.vocabulary,
                           job->settings.seed, error);
    if (status == RK_OK) status = check_samples(job, run, error);
    if (status == RK_OK && run->load) status = checkpoint_open(checkpoint, run->load, job, error);
    if (status == RK_OK && run->load) status = check_checkpoint(checkpoint, job, run->load, error);
    /* one that was skipped because it is damaged is written again */
    const bool goes_on = run->load && run->save && strcmp(run->load, run->save) == 0;
    if (status == RK_OK && run->save)
        status = checkpoint_check(run->save, job, job->settings.double_precision ? 8 : 4,
                                  goes_on ? UINT64_MAX : checkpoint->step, error);
    return status;
}

/* A run from its begin to its end: `comm` is this process's only rank, or NULL: all ranks are
 * threads. */
static enum rk_status train(const struct rk_model *model, const struct rk_plan *plan,
                            const struct rk_train *settings, const struct rk_train_run *run,
                            struct comm *comm, struct rk_train_result *result,
                            struct rk_error *error)
{
    struct job job;
    struct data data = {.map = NULL};
    struct checkpoint *checkpoint = calloc(1, sizeof *checkpoint);
    *result = (struct rk_train_result){.steps = 0};
    if (!checkpoint) return rk_fail(error, RK_IO, NULL, 0, 0, "no memory for a run");
    enum rk_status status = job_open(&job, model, plan, settings, error);
    if (status == RK_OK)
        status = prepare(&job, &data, checkpoint, run, comm ? 1.0 / comm->ranks : 1, error);
    if (status == RK_OK) {
        struct team team = {.job = &job,
                            .work = take_steps,
                            .run = run,
                            .kind = settings->double_precision ? &engine_f64 : &engine_f32,
                            .checkpoint = run->load ? checkpoint : NULL,
                            .result = result};
        status = team_run(&team, comm, error);
    }
    checkpoint_close(checkpoint);
    free(checkpoint);
    data_close(&data);
    job_close(&job);
    return status;
}

enum rk_status rk_train_threads(const struct rk_model *model, const struct rk_plan *plan,
                                const struct rk_train *settings, const struct rk_train_run *run,
                                struct rk_train_result *result, struct rk_error *error)
{
    return train(model, plan, settings, run, NULL, result, error);
}

enum rk_status train_rank(const struct rk_model *model, const struct rk_plan *plan,
                          const struct rk_train *settings, const struct rk_train_run *run,
                          struct comm *comm, struct rk_train_result *result, struct rk_error *error)
{
    if ((uint64_t)comm->ranks != plan->ranks)
        return rk_fail(error, RK_USAGE, NULL, 0, 0,
                       "the plan has %llu ranks, and %d processes run: start %llu",
                       (unsigned long long)plan->ranks, comm->ranks,
                       (unsigned long long)plan->ranks);
    return train(model, plan, settings, run, comm, result, error);
}
