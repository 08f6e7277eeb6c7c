/* A search that is stopped again and again, at random moments, and goes on from what it gave away,
 * ends with the result of one that was never stopped. */
#include "calculon/strategies.h"
#include "search/engine.h"
#include "search/predictor.h"
#include "search/state.h"
#include <criterion/criterion.h>
#include <reckon/catalog.h>
#include <reckon/plans.h>
#include <stdlib.h>
#include <string.h>

struct keeper {
    void *bytes;
    size_t size;
    int rounds_left; /* stop after so many */
};

static bool keep(void *context, const void *state, size_t bytes)
{
    struct keeper *k = context;
    free(k->bytes);
    k->bytes = malloc(bytes);
    k->size = bytes;
    cr_assert_not_null(k->bytes);
    memcpy(k->bytes, state, bytes);
    return --k->rounds_left > 0;
}

static struct rk_model model = {.layers = 48,
                                .hidden = 1024,
                                .feedforward = 4096,
                                .heads = 16,
                                .head_dim = 64,
                                .sequence = 1024};

static const char machine[] =
    "matrix.float16=300TFLOP/s vector.float16=80TFLOP/s hbm=4GiB@2TB/s mem2=64GiB@100GB/s "
    "net0=300GB/s,size=8 net1=25GB/s,size=65536";

static struct rk_space *open_space(struct rk_system *system, uint64_t batch)
{
    struct rk_problem problem;
    struct rk_error error;
    *system = (struct rk_system){0};
    cr_assert_eq(rk_system_load(machine, system, &error), RK_OK, "%s", error.text);
    rk_problem_init(&problem, &model, system, 512, batch, RK_FLOAT16);
    return rk_space_open(&problem, NULL);
}

static void check_same(const struct rk_answer *a, const struct rk_answer *b)
{
    cr_assert_eq(memcmp(&a->counts, &b->counts, sizeof a->counts), 0);
    cr_assert_eq(memcmp(&a->explain, &b->explain, sizeof a->explain), 0);
    cr_assert_eq(a->matches, b->matches);
    cr_assert_eq(a->found, b->found);
    for (uint64_t i = 0; i < a->found; i++)
        cr_assert(a->best[i].index == b->best[i].index && a->best[i].step_s == b->best[i].step_s);
}

/* Of the space of plans. */
static struct rk_space *open_plans(struct rk_system *system)
{
    struct rk_plans_problem problem;
    *system = (struct rk_system){0};
    cr_assert_eq(rk_system_load("h100-sxm5-80g", system, NULL), RK_OK);
    system->memory[0].capacity_bytes = 8e9;
    rk_plans_problem_init(&problem, &model, system, RK_MEGATRON, 64, 64, 0);
    return rk_plans_open(&problem, NULL);
}

static void check_stops(const struct rk_space *space, struct rk_query query)
{
    struct rk_answer whole, part;
    query.threads = 2;
    cr_assert_eq(rk_ask(space, &query, &whole, NULL), RK_OK);
    cr_assert(whole.complete && whole.counts.verdict[RK_FITS][0] > 1000);
    struct keeper keeper = {0};
    query.keep = keep;
    query.context = &keeper;
    int stops = -1;
    srand(11);
    do {
        stops++;
        keeper.rounds_left = 1 + rand() % 2;
        void *resume = keeper.bytes;
        query.resume = resume;
        query.resume_bytes = keeper.size;
        keeper.bytes = NULL;
        cr_assert_eq(rk_ask(space, &query, &part, NULL), RK_OK);
        if (!keeper.bytes)
            keeper.bytes = resume; /* nothing new was given away */
        else
            free(resume);
        if (!part.complete) rk_answer_release(&part);
    } while (!part.complete);
    cr_assert(stops >= 2, "stopped only %d times", stops);
    check_same(&whole, &part);
    free(keeper.bytes);
    rk_answer_release(&whole);
    rk_answer_release(&part);
}

static void stop_and_go(bool plans, struct rk_query query)
{
    struct rk_system system;
    struct rk_space *space = plans ? open_plans(&system) : open_space(&system, 512);
    cr_assert_not_null(space);
    check_stops(space, query);
    rk_space_close(space);
    rk_system_release(&system);
}

Test(search_state, stop_and_go_pruned)
{
    stop_and_go(false, (struct rk_query){.top = 10});
}
Test(search_state, stop_and_go_exhaustive)
{
    stop_and_go(false, (struct rk_query){.mode = RK_SEARCH_EXHAUSTIVE, .top = 10});
}
Test(search_state, stop_and_go_with_many_kept)
{
    stop_and_go(false, (struct rk_query){.top = 20000});
}
Test(search_state, stop_and_go_over_plans)
{
    stop_and_go(true, (struct rk_query){.top = 10});
}
Test(search_state, stop_and_go_with_a_condition)
{
    stop_and_go(true, (struct rk_query){.where = "hbm < 6GiB", .sort = "hbm", .top = 10});
}
Test(search_state, stop_and_go_along_a_frontier)
{
    stop_and_go(true, (struct rk_query){.pareto = "time, hbm", .top = 1});
}

Test(search_state, refuses_what_is_not_its_own)
{
    struct rk_system system, other_system;
    struct rk_space *space = open_space(&system, 512), *other = open_space(&other_system, 256);
    struct keeper keeper = {.rounds_left = 1};
    struct rk_query options = {.top = 10, .keep = keep, .context = &keeper};
    struct rk_answer result;
    struct rk_error error;
    cr_assert_eq(rk_ask(space, &options, &result, NULL), RK_OK);
    cr_assert_not(result.complete);
    rk_answer_release(&result);
    options.keep = NULL;
    options.resume = keeper.bytes;
    options.resume_bytes = keeper.size;
    cr_assert_eq(rk_ask(other, &options, &result, &error), RK_BAD_INPUT);
    cr_assert(strstr(error.text, "another search"), "%s", error.text);
    for (options.top = 1; options.top <= 20;
         options.top += 19) { /* fewer than it keeps, and more */
        cr_assert_eq(rk_ask(space, &options, &result, &error), RK_BAD_INPUT);
        cr_assert(strstr(error.text, "another search"), "top %llu: %s",
                  (unsigned long long)options.top, error.text);
    }
    options.top = 10;
    options.resume_bytes = keeper.size - 1;
    cr_assert_eq(rk_ask(space, &options, &result, &error), RK_BAD_INPUT);
    cr_assert(strstr(error.text, "whole"), "%s", error.text);
    options.resume_bytes = keeper.size;
    ((char *)keeper.bytes)[keeper.size - 3] ^= 1;
    cr_assert_eq(rk_ask(space, &options, &result, &error), RK_BAD_INPUT);
    cr_assert(strstr(error.text, "damaged"), "%s", error.text);
    free(keeper.bytes);
    rk_space_close(space);
    rk_space_close(other);
    rk_system_release(&system);
    rk_system_release(&other_system);
}

static const struct predictor *as_it_was;

static void a_last_digit(const struct rk_space *space, const struct rk_plan *plan,
                         struct outcome *to)
{
    as_it_was->predict(space, plan, to);
    to->figure[0] *= 1 + 0x1p-52;
}

/* A model that predicts anything else has other states, though its version is the same. */
Test(search_state, a_changed_model_has_other_states)
{
    struct rk_system system[2];
    struct rk_space *spaces[] = {open_space(&system[0], 512), open_plans(&system[1])};
    const struct rk_query query = {.top = 1};
    for (int i = 0; i < 2; i++) {
        as_it_was = spaces[i]->predictor;
        struct predictor changed = *as_it_was;
        const uint64_t before = state_fingerprint(spaces[i], &query);
        changed.predict = a_last_digit;
        spaces[i]->predictor = &changed;
        cr_expect_neq(state_fingerprint(spaces[i], &query), before);
        spaces[i]->predictor = as_it_was;
        cr_expect_eq(state_fingerprint(spaces[i], &query), before);
        rk_space_close(spaces[i]);
        rk_system_release(&system[i]);
    }
}
