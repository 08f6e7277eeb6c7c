#include "run/train.h"

#include "base/clock.h"
#include "base/memory.h"
#include "base/number.h"
#include "run/checkpoint.h"
#include "run/team.h"

#include <math.h>
#include <reckon/program.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* What the median rank of a rank's stage took, the lower of two: stages have unequal work.
 * `sorted`: room for the ranks. */
static double median_of_stage(const struct job *job, const double *seconds, int rank,
                              double *sorted)
{
    const int ranks = (int)job->plan.ranks;
    const uint64_t stage = rank_position(&job->map, RANKS_OF_PIPELINE, (uint64_t)rank);
    int found = 0;
    for (int i = 0; i < ranks; i++)
        if (rank_position(&job->map, RANKS_OF_PIPELINE, (uint64_t)i) == stage)
            sorted[found++] = seconds[i];
    qsort(sorted, (size_t)found, sizeof *sorted, by_number);
    return sorted[(found - 1) / 2];
}

/* The rank that is slowest against the median of its stage, and by what factor. */
static double find_slowest(const struct team *team, const double *seconds, int *slowest)
{
    const int ranks = (int)team->job->plan.ranks;
    double most = 1;
    *slowest = 0;
    for (int i = 0; i < ranks; i++) {
        const double median = median_of_stage(team->job, seconds, i, team->compute_s + ranks);
        if (!(median > 0) || seconds[i] / median <= most) continue;
        most = seconds[i] / median;
        *slowest = i;
    }
    return most;
}

/* The mean of all steps but the first. */
static void note_slowest(struct team *team, const double *seconds)
{
    struct rk_train_result *out = team->result;
    const int ranks = (int)team->job->plan.ranks;
    if (!out->steps) return;
    for (int i = 0; i < ranks; i++)
        team->compute_s[i] += seconds[i];
    out->slowest = find_slowest(team, team->compute_s, &out->slowest_rank);
}

static void report(struct team *team, uint64_t step, const struct step_result *r)
{
    const struct job *job = team->job;
    int slowest;
    const double behind = find_slowest(team, r->compute_s, &slowest);
    const struct rk_train_step said = {
        .step = step + 1,
        .loss = r->loss,
        .balance = r->balance,
        .ahead = r->ahead,
        .norm = r->norm,
        .rate = r->rate,
        .scale = r->scale,
        .skipped = r->skipped,
        .wall_s = r->wall_s,
        .tokens = (double)job->plan.batch * (double)job->sequence,
        .peak_bytes = r->peak_bytes,
        .compute_s = r->compute_s[0],
        .slowest = behind,
        .slowest_rank = slowest,
    };
    struct rk_train_result *out = team->result;
    if (!out->steps) out->first_loss = r->loss;
    const bool faster = r->wall_s < out->step_s; /* a step that is skipped does less */
    if (r->skipped ? !team->whole && faster : !team->whole || faster) out->step_s = r->wall_s;
    team->whole |= !r->skipped;
    out->clock_s = r->clock_s;
    note_slowest(team, r->compute_s);
    out->steps++;
    out->skipped += r->skipped;
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

static void note_step(struct least *least, const struct ledger *now, bool skipped)
{
    if (skipped && least->known) {
        least->before = *now;
        return;
    }
    for (int i = 0; i < LEDGER_PARTS; i++) {
        const double cpu_s = now->part[i].cpu_s - least->before.part[i].cpu_s;
        const double wall_s = now->part[i].wall_s - least->before.part[i].wall_s;
        struct ledger_row *row = &least->step.part[i];
        if (!least->known || cpu_s < row->cpu_s) row->cpu_s = cpu_s;
        if (!least->known || wall_s < row->wall_s) row->wall_s = wall_s;
        row->clock_s = now->part[i].clock_s - least->before.part[i].clock_s; /* of this step */
        row->sent_bytes = now->part[i].sent_bytes - least->before.part[i].sent_bytes;
    }
    least->before = *now;
    least->known = !skipped;
}

/* What a rank did alone, by its clock. */
static double computed_of(const struct ledger *step)
{
    const struct ledger_row *part = step->part;
    return part[PART_MATRIX].clock_s + part[PART_ATTENTION].clock_s + part[PART_MEMORY].clock_s +
           part[PART_AGAIN].clock_s + part[PART_OPTIMIZER].clock_s;
}

/* Copies of tokens on the busiest rank over the mean, in the mean over all that is dispatched; of
 * the busiest group. Locked; the last rank's is that of all. */
static void note_imbalance(struct team *team, const struct step_result *last)
{
    const size_t ranks = team->job->plan.ranks;
    if (team->alone || !last->comes) return;
    if (!team->came) team->came = calloc(ranks, sizeof *team->came);
    struct came *c = team->came ? &team->came[last->came_group] : NULL;
    double sum = 0;
    if (c && !c->most) c->most = calloc(last->comes, sizeof *c->most);
    if (!c || !c->most) return;
    c->comes = c->comes ? c->comes : last->comes;
    for (size_t i = 0; i < c->comes && i < last->comes; i++)
        sum += c->most[i] = fmax(c->most[i], last->came[i]);
    team->result->imbalance = fmax(team->result->imbalance, sum / (double)c->comes);
}

static void release_came(struct team *team, size_t ranks)
{
    for (size_t i = 0; team->came && i < ranks; i++)
        free(team->came[i].most);
    free(team->came);
    team->came = NULL;
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
    const double computed_s = computed_of(step);
    for (int i = 0; computed_s > team->most_s && i < LEDGER_PARTS; i++)
        out->part_clock_s[i] = step->part[i].clock_s;
    team->most_s = fmax(team->most_s, computed_s);
    note_imbalance(team, last);
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

enum verdict { GO_ON, STOP, CHANGE };

/* What rank 0 says, all do. */
static bool agree(struct comm *comm, enum verdict *verdict)
{
    char said = (char)*verdict;
    const bool ok = comm_agree(comm, "end of a step", &said);
    *verdict = ok ? (enum verdict)said : STOP;
    return ok;
}

/* Rank 0 asks for another plan, where there are more steps. */
static enum verdict ask(struct team *team, const struct comm *comm, uint64_t step)
{
    const struct rk_train_run *run = team->run;
    if (comm->rank != 0) return GO_ON;
    if (team->stop) return STOP;
    if (!run->next_plan || step >= team->job->settings.steps) return GO_ON;
    team->next = team->job->plan;
    return run->next_plan(run->context, step, &team->next) ? CHANGE : GO_ON;
}

/* All processes know the next plan, and its state is where they will look for it. */
static bool hand_over(struct team *team, struct comm *comm, struct engine *engine, uint64_t step)
{
    bool ok = true;
    for (int i = 1; team->alone && comm->rank == 0 && i < comm->ranks; i++)
        ok = ok && comm_send(comm, i, COMM_COLLECTIVE, "next plan", &team->next, sizeof team->next);
    if (team->alone && comm->rank != 0)
        ok = comm_receive(comm, 0, COMM_COLLECTIVE, "next plan", &team->next, sizeof team->next);
    if (comm->rank == 0 || team->alone) {
        team->changes = true;
        team->left_s = now_s();
    }
    return ok && checkpoint_save(team->transit, team->job, team->kind, engine, step, NULL, NULL);
}

static void hand_trace(struct team *team, const struct comm *comm, const struct engine *engine)
{
    size_t events;
    const struct rk_train_event *event = team->kind->trace(engine, &events);
    pthread_mutex_lock(&team->lock);
    team->run->trace(team->run->context, comm->rank, event, events);
    pthread_mutex_unlock(&team->lock);
}

static bool take_steps(struct team *team, struct comm *comm, struct engine *engine)
{
    const struct job *job = team->job;
    const struct rk_train_run *run = team->run;
    struct step_result result = {.loss = 0};
    struct least least = {.known = false};
    uint64_t saved = UINT64_MAX, step = team->checkpoint ? team->checkpoint->about.step : 0,
             steps = 0;
    struct rk_train_tier before[RK_SHARE_TIERS] = {{0}}, now[RK_SHARE_TIERS] = {{0}};
    enum verdict verdict = GO_ON;
    if (comm->rank == 0 && team->left_s > 0) team->result->change_s += now_s() - team->left_s;
    team->kind->tiers(engine, before);
    while (step < job->settings.steps && verdict == GO_ON) {
        comm->step = step + 1;
        if (!team->kind->step(engine, step, &result)) return false;
        step++;
        steps++;
        note_step(&least, team->kind->ledger(engine), result.skipped);
        if (comm->rank == 0) report(team, step - 1, &result);
        verdict = ask(team, comm, step);
        if (!agree(comm, &verdict)) return false;
        if (run->save && run->save_every && step % run->save_every == 0) {
            bool kept = true;
            if (!checkpoint_save(run->save, job, team->kind, engine, step, run, &kept))
                return false;
            if (kept) saved = step;
        }
    }
    comm->step = 0;
    if (steps > 1 && run->trace) hand_trace(team, comm, engine);
    team->kind->tiers(engine, now);
    if (steps) count_tiers(team, now, before, steps);
    if (verdict == CHANGE && !hand_over(team, comm, engine, step)) return false;
    if (verdict != CHANGE && run->save && saved != step &&
        !checkpoint_save(run->save, job, team->kind, engine, step, run, NULL))
        return false;
    if (steps) count_up(team, &least.step, engine, &result);
    return true;
}

/* Tiers that are drives need a folder. */
static enum rk_status check_drives(const struct job *job, struct rk_error *error)
{
    for (int t = 0; t < RK_SHARE_TIERS; t++)
        if (job_uses_tier(job, t) && job_tier_is_drive(job, t) && !job->drives)
            return rk_fail(
                error, RK_BAD_ARGUMENT, NULL, 0, 0,
                "memory tier %d of %s is made of drives: say where their files go, `drives` "
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
        "`repeat`",
        (unsigned long long)job->data->windows, (unsigned long long)job->sequence,
        (unsigned long long)job->settings.steps, (unsigned long long)samples);
}

static enum rk_status check_checkpoint(const struct checkpoint *c, const struct job *job,
                                       const char *path, struct rk_error *error)
{
    if (c->moments && c->about.seed != job->settings.seed)
        return rk_fail(error, RK_BAD_INPUT, path, 0, 0,
                       "the run began with seed %llu, and goes on only with it: say `seed` %llu",
                       (unsigned long long)c->about.seed, (unsigned long long)c->about.seed);
    if (c->moments && c->about.muon != (job->plan.optimizer == RK_MUON))
        return rk_fail(error, RK_BAD_INPUT, path, 0, 0,
                       "its moments are %s, and another optimizer begins from weights alone: say "
                       "optimizer=%s, or load its model.safetensors from a folder of its own",
                       c->about.muon ? "Muon's" : "AdamW's", c->about.muon ? "muon" : "adam");
    if (c->about.batch && (c->about.batch != job->plan.batch || c->about.sequence != job->sequence))
        return rk_fail(error, RK_BAD_INPUT, path, 0, 0,
                       "the run has steps of %llu samples of %llu tokens, and goes on only with "
                       "them: say gbs%llu seq%llu, or load its model.safetensors from a folder of "
                       "its own",
                       (unsigned long long)c->about.batch, (unsigned long long)c->about.sequence,
                       (unsigned long long)c->about.batch, (unsigned long long)c->about.sequence);
    if (c->about.step < job->settings.steps) return RK_OK;
    return rk_fail(error, RK_BAD_INPUT, path, 0, 0,
                   "%llu steps are done, and `steps` %llu asks for no more",
                   (unsigned long long)c->about.step, (unsigned long long)job->settings.steps);
}

static void warn(const struct rk_train_run *run, const struct rk_error *about)
{
    if (run->warn && about->status != RK_OK) run->warn(run->context, about);
}

/* All that can be known before the first step. */
static enum rk_status prepare(struct job *job, struct data *data, struct checkpoint *checkpoint,
                              const struct rk_train_run *run, double share, struct rk_error *error)
{
    struct rk_program program = {.rank = 0};
    job->data = data;
    job->system = run->system;
    job->functions = run->functions;
    if (run->functions && job->model.predict_layers)
        return rk_fail(
            error, RK_UNSUPPORTED, NULL, 0, 0,
            "prediction layers are of texts: a task of its own has no tokens further on");
    job->drives = run->drives;
    job->dump = run->dump;
    job->dump_step = run->dump_step;
    job->dumps = run->dump ? run->dumps : 0;
    job->traces = run->trace != NULL;
    /* what the checker refuses, it refuses here */
    enum rk_status status = rk_program_of(&program, &job->model, run->system, &job->plan, 0, error);
    rk_program_release(&program);
    if (status == RK_OK) status = memory_suffices(job, share, 4, error);
    if (status == RK_OK) status = check_drives(job, error);
    if (status == RK_OK && run->functions && !run->functions->collate)
        status = rk_fail(error, RK_BAD_ARGUMENT, NULL, 0, 0, "a task needs a function collate");
    if (status == RK_OK && !run->functions)
        status = data_open(data, run->data, job->sequence, job->model.vocabulary,
                           job->settings.seed, error);
    if (status == RK_OK) status = check_samples(job, run, error);
    if (status == RK_OK && !run->functions) warn(run, &data->doubt);
    if (status == RK_OK && run->load) status = checkpoint_open(checkpoint, run->load, job, error);
    if (status == RK_OK) warn(run, &checkpoint->passed);
    if (status == RK_OK && run->load) status = check_checkpoint(checkpoint, job, run->load, error);
    /* one that was skipped because it is damaged is written again */
    const bool goes_on = run->load && run->save && strcmp(run->load, run->save) == 0;
    if (status == RK_OK && run->save)
        status = checkpoint_check(run->save, job, job->kind->real_bytes,
                                  goes_on ? UINT64_MAX : checkpoint->about.step, error);
    return status;
}

/* One plan, from its begin to its end or to the next plan. */
static enum rk_status train_plan(struct team *team, const struct rk_model *model,
                                 const struct rk_plan *plan, const struct rk_train *settings,
                                 struct comm *comm, struct rk_error *error)
{
    const struct rk_train_run *run = team->run;
    struct job job;
    struct data data = {.map = NULL};
    struct checkpoint *checkpoint = calloc(1, sizeof *checkpoint);
    if (!checkpoint) return no_memory(error);
    enum rk_status status = job_open(&job, model, plan, settings, error);
    if (status == RK_OK)
        status = prepare(&job, &data, checkpoint, run, comm ? 1.0 / comm->ranks : 1, error);
    if (status == RK_OK) {
        team->job = &job;
        team->kind = job.kind;
        team->checkpoint = run->load ? checkpoint : NULL;
        status = team_run(team, comm, error);
    }
    checkpoint_close(checkpoint);
    free(checkpoint);
    data_close(&data);
    job_close(&job);
    return status;
}

/* What a result says of one plan is said of the next one instead. */
static void forget_plan(struct rk_train_result *result)
{
    const struct rk_train_result r = *result;
    *result = (struct rk_train_result){.steps = r.steps,
                                       .first_loss = r.first_loss,
                                       .last_loss = r.last_loss,
                                       .tokens = r.tokens,
                                       .wall_s = r.wall_s,
                                       .step_s = INFINITY,
                                       .skipped = r.skipped,
                                       .changes = r.changes + 1,
                                       .change_s = r.change_s};
}

static enum rk_status check_change(const struct rk_plan *from, const struct rk_plan *to,
                                   const struct comm *comm, struct rk_error *error)
{
    if (to->batch != from->batch || to->sequence != from->sequence)
        return rk_fail(error, RK_UNSUPPORTED, NULL, 0, 0,
                       "a run keeps its batch of %llu and its sequence when the plan changes: say "
                       "gbs%llu",
                       (unsigned long long)from->batch, (unsigned long long)from->batch);
    if (to->optimizer != from->optimizer)
        return rk_fail(error, RK_UNSUPPORTED, NULL, 0, 0,
                       "a run keeps its optimizer when the plan changes");
    if (!comm || (uint64_t)comm->ranks == to->ranks) return RK_OK;
    return rk_fail(error, RK_UNSUPPORTED, NULL, 0, 0,
                   "the next plan has %llu ranks, and %d processes run",
                   (unsigned long long)to->ranks, comm->ranks);
}

/* A folder in memory, where there is one, for ranks that are threads. */
static enum rk_status open_transit(const struct rk_train_run *run, const struct comm *comm,
                                   char *folder, size_t size, struct rk_error *error)
{
    const char *asked = run->transit ? run->transit : comm ? run->save : NULL;
    if (asked) {
        snprintf(folder, size, "%s", asked);
        return RK_OK;
    }
    if (comm)
        return rk_fail(error, RK_BAD_ARGUMENT, NULL, 0, 0,
                       "ranks of several processes change their plan through a folder that all "
                       "see: give one to save to");
    snprintf(folder, size, "%s/reckon-XXXXXX",
             access("/dev/shm", W_OK) == 0 ? "/dev/shm" : P_tmpdir);
    if (mkdtemp(folder)) return RK_OK;
    return rk_fail(error, RK_IO, folder, 0, 0, "no folder for the state between two plans");
}

/* A run from its begin to its end: `comm` is this process's only rank, or NULL: all ranks are
 * threads. */
static enum rk_status train(const struct rk_model *model, const struct rk_plan *first,
                            const struct rk_train *settings, const struct rk_train_run *run,
                            struct comm *comm, struct rk_train_result *result,
                            struct rk_error *error)
{
    struct rk_train_run now = *run;
    struct rk_plan plan = *first;
    char transit[512] = "";
    struct team team = {.work = take_steps, .run = &now, .result = result, .transit = transit};
    enum rk_status status = RK_OK;
    *result = (struct rk_train_result){.steps = 0, .step_s = INFINITY};
    if (run->next_plan) status = open_transit(run, comm, transit, sizeof transit, error);
    const bool own = *transit && (!run->transit && !comm);
    while (status == RK_OK) {
        team.changes = false;
        team.whole = false;
        team.compute_s = calloc(2 * plan.ranks, sizeof *team.compute_s);
        team.most_s = 0;
        status = team.compute_s
                     ? train_plan(&team, model, &plan, settings, comm, error)
                     : rk_fail(error, RK_NO_MEMORY, NULL, 0, 0, "no memory for %llu ranks",
                               (unsigned long long)plan.ranks);
        free(team.compute_s);
        release_came(&team, plan.ranks);
        if (status != RK_OK || !team.changes) break;
        status = check_change(&plan, &team.next, comm, error);
        plan = team.next;
        now.load = transit;
        forget_plan(result);
    }
    if (own) checkpoint_remove_all(transit);
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
    const enum rk_status status = team_check(comm, plan, error);
    return status == RK_OK ? train(model, plan, settings, run, comm, result, error) : status;
}
