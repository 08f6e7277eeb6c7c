/* Points on machines of several clusters: what the search of clusters says, and what does not hold
 * there. */
#include "catalog/catalog.h"
#include "study/study.h"

#include <criterion/criterion.h>
#include <math.h>
#include <reckon/catalog.h>
#include <reckon/reckon.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define PAIR "h100-sxm5-80g x16 name=new + a100-sxm4-80g x16 name=old"

static struct study *parse(const char *text)
{
    struct study *study = NULL;
    struct rk_error error = {0};
    cr_assert_eq(study_parse("./s.json", text, strlen(text), rk_model_load, &study, &error), RK_OK,
                 "%d:%d: %s", error.line, error.column, error.text);
    return study;
}

/* ---- rows ---- */

enum { MOST = 16 };
struct kept {
    struct rk_outcome outcome[MOST];
    struct study_over over[MOST];
    bool is_over[MOST];
    uint64_t found[MOST];
    double steps_s[MOST][4]; /* of the best four */
};

static enum rk_status keep(void *context, const struct study_row *rows, size_t count,
                           struct rk_error *error)
{
    struct kept *kept = context;
    (void)error;
    for (size_t i = 0; i < count; i++) {
        const size_t at = rows[i].point;
        kept->found[at] = rows[i].found;
        kept->is_over[at] = rows[i].over != NULL;
        if (rows[i].over) kept->over[at] = rows[i].over[0];
        for (uint64_t k = 0; k < rows[i].found && k < 4; k++)
            kept->steps_s[at][k] = rows[i].best[k].outcome.step_s;
        if (rows[i].found) kept->outcome[at] = rows[i].best->outcome;
    }
    return RK_OK;
}

static void search_all(const struct study *study, int jobs, struct kept *kept)
{
    const struct study_run_options options = {.jobs = jobs, .sink = keep, .context = kept};
    size_t points[MOST];
    struct rk_error error;
    cr_assert_leq(study->points, MOST);
    for (size_t i = 0; i < study->points; i++)
        points[i] = i;
    memset(kept, 0, sizeof *kept);
    cr_assert_eq(study_run(study, points, study->points, &options, &error), RK_OK);
}

static struct kept kept, again;
static struct rk_prediction found;

/* The best plan on a machine of any number of clusters, as rk_predict() has it. */
static void find(const struct rk_model *model, const char *line, uint64_t batch, uint64_t tensor)
{
    static struct rk_machine machine;
    struct rk_plans_problem problem;
    struct rk_error error;
    cr_assert_eq(rk_machine_load(line, &machine, &error), RK_OK, "%s", error.text);
    struct rk_system system = machine.cluster[0].system;
    system.machine = &machine; /* also of one */
    rk_plans_problem_init(&problem, model, &system, RK_MEGATRON, 0, batch, 0);
    problem.pinned[RK_PLAN_TENSOR].count = tensor > 0;
    problem.pinned[RK_PLAN_TENSOR].value[0] = problem.pinned[RK_PLAN_TENSOR].to[0] = tensor;
    cr_assert_eq(rk_plans_best(&problem, NULL, &found, &error), RK_OK, "%s", error.text);
    rk_machine_release(&machine);
}

Test(study_clusters, rows_are_what_the_search_of_clusters_finds)
{
    struct study *s =
        parse("{\"models\": [\"llama3.1-8b\"], \"batch\": [32, 64], \"systems\": [\"" PAIR
              " link={10,100,400}Gb/s@50us\", {\"name\": \"near\", \"base\": \"" PAIR
              "\", \"link\": [\"100Gb/s@5us\"]}], \"axes\": {\"tensor\": 8}}");
    double before_s = INFINITY;
    cr_assert_eq(s->points, 8);
    search_all(s, 1, &kept);
    for (size_t i = 0; i < s->points; i++) {
        const struct study_point *point = &s->point[i];
        find(&s->model[0].model, s->system[point->system].description, point->max_batch, 8);
        cr_expect_eq(point->gpus, 32);
        cr_expect_eq(kept.outcome[i].step_s, found.step_s);
        cr_expect_eq(kept.outcome[i].hbm_bytes, found.hbm_bytes);
        cr_expect_float_eq(kept.outcome[i].tokens_per_s,
                           (double)point->max_batch * 8192 / found.step_s, 1e-6);
        cr_expect(kept.outcome[i].mfu > 0 && kept.outcome[i].mfu < 1);
        if (i % 2) continue;
        cr_expect_leq(kept.outcome[i].step_s, i < 6 ? before_s : INFINITY); /* a faster link */
        before_s = kept.outcome[i].step_s;
    }
    search_all(s, 4, &again);
    cr_expect_arr_eq(kept.outcome, again.outcome, sizeof kept.outcome);
    for (size_t i = 0; i < s->points; i++)
        cr_expect_str_eq(kept.over[i].words, again.over[i].words);
    study_close(s);
}

/* The best four, in order; with each its own words, and the first is what the best alone is. */
Test(study_clusters, several_of_the_best)
{
    struct study *one = parse("{\"models\": [\"llama3.1-8b\"], \"batch\": 32, \"systems\": [\"" PAIR
                              " link=100Gb/s@50us\"]}");
    struct study *s = parse("{\"models\": [\"llama3.1-8b\"], \"batch\": 32, \"top\": 4, "
                            "\"systems\": [\"" PAIR " link=100Gb/s@50us\"]}");
    search_all(one, 1, &again);
    search_all(s, 1, &kept);
    cr_expect_eq(again.found[0], 1);
    cr_expect_eq(kept.found[0], 4);
    cr_expect_eq(kept.steps_s[0][0], again.steps_s[0][0]);
    for (int i = 1; i < 4; i++)
        cr_expect_geq(kept.steps_s[0][i], kept.steps_s[0][i - 1]);
    cr_expect_str_eq(kept.over[0].words, again.over[0].words);
    cr_expect_str_neq(s->point[0].key, one->point[0].key);
    study_close(s);
    study_close(one);
}

/* What is learned of memory is left, of each kind its own, where it is asked for. */
Test(study_clusters, learned_headroom)
{
    static const char *const rooms[] = {"none", "learned"};
    double bytes[2];
    for (int i = 0; i < 2; i++) {
        char text[512];
        snprintf(text, sizeof text,
                 "{\"models\": [\"llama3.1-8b\"], \"batch\": 64, \"headroom\": \"%s\", "
                 "\"axes\": {\"tensor\": 1}, \"systems\": [\"h100-sxm5-80g x16 hbm=57GiB + "
                 "a100-sxm4-80g x16 hbm=57GiB link=100Gb/s@50us\"]}",
                 rooms[i]);
        struct study *s = parse(text);
        search_all(s, 1, &kept);
        cr_assert_eq(kept.found[0], 1);
        bytes[i] = kept.outcome[0].hbm_bytes;
        study_close(s);
    }
    cr_expect_gt(bytes[0], bytes[1]);
    cr_expect_leq(bytes[1], 56 * 0x1p30);
}

/* The utilisation of one kind of GPU over a link is that of a system: FLOP of the model over what
 * they could do; and a point of one cluster stands beside it, once for each number of GPUs. */
Test(study_clusters, stand_beside_points_of_one_cluster)
{
    struct study *s = parse("{\"models\": [\"llama3.1-8b\"], \"batch\": 32, \"gpus\": [16, 32], "
                            "\"systems\": [\"h100-sxm5-80g\", \"h100-sxm5-80g x16 + h100-sxm5-80g "
                            "x16 link=400Gb/s@10us\"]}");
    cr_assert_eq(s->points, 3);
    cr_expect_eq(s->point[2].gpus, 32);
    search_all(s, 2, &kept);
    const double a = kept.outcome[1].mfu * kept.outcome[1].step_s;
    const double b = kept.outcome[2].mfu * kept.outcome[2].step_s;
    cr_expect_float_eq(a, b, 1e-9 * a);
    cr_expect_not(kept.is_over[1]);
    study_close(s);
}

/* Two halves whose link is the network between their nodes are the whole, where its best plan has
 * no stage on both; with a link without limits they are no slower. */
Test(study_clusters, two_halves_are_the_whole)
{
    char folder[] = P_tmpdir "/reckon-XXXXXX", path[64], line[128], text[1024];
    struct rk_system system;
    struct rk_error error;
    cr_assert(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/plain.json", folder);
    cr_assert_eq(rk_system_load("h100-sxm5-80g", &system, &error), RK_OK);
    system.network[1].bandwidth_Bps = 50e9; /* of a GPU: latency, and bytes over bandwidth */
    system.network[1].link = (struct rk_link){.efficiency = 1, .hop_s = 20e-6};
    const struct system_sources sources = {.whole = "made up"};
    char *json = system_text(&system, "plain", NULL, &sources);
    FILE *file = fopen(path, "w");
    cr_assert(json && file);
    fputs(json, file);
    fclose(file);
    free(json);
    snprintf(
        text, sizeof text,
        "{\"models\": [\"llama3.1-70b\"], \"batch\": 128, \"headroom\": \"none\", \"systems\": "
        "[\"%s x16 + %s x16 "
        "link={3200Gb/s@20us,1000000000Gb/s@0us}\"]}",
        path, path);
    struct study *s = parse(text);
    cr_assert_eq(s->points, 2);
    search_all(s, 2, &kept);
    snprintf(line, sizeof line, "%s x32", path);
    find(&s->model[0].model, line, 128, 0);
    cr_expect_gt(found.stages, 1);
    cr_expect_float_eq(kept.outcome[0].step_s, found.step_s, 1e-12 * found.step_s);
    cr_expect_leq(kept.outcome[1].step_s, found.step_s);
    study_close(s);
    rk_system_release(&system);
    unlink(path);
    rmdir(folder);
}

/* Every number of the machine is part of a search's key. */
Test(study_clusters, keys_tell_machines_apart)
{
    static const char *const systems[] = {
        PAIR " link=100Gb/s@50us",
        PAIR " link=200Gb/s@50us",
        PAIR " link=100Gb/s@40us",
        PAIR " link=100Gb/s@50us,cap=100Gb/s",
        PAIR " link=100Gb/s@50us,price=0.02",
        "h100-sxm5-80g x16 name=new + a100-sxm4-80g x24 name=old link=100Gb/s@50us",
        "h100-sxm5-80g x16 name=first + a100-sxm4-80g x16 name=old link=100Gb/s@50us"};
    enum { SYSTEMS = sizeof systems / sizeof *systems };
    char keys[SYSTEMS][STUDY_KEY];
    for (int i = 0; i < SYSTEMS; i++) {
        char text[512];
        snprintf(text, sizeof text,
                 "{\"models\": [\"llama3.1-8b\"], \"batch\": 32, \"systems\": [\"%s\"]}",
                 systems[i]);
        struct study *s = parse(text);
        memcpy(keys[i], s->point[0].key, sizeof keys[i]);
        for (int k = 0; k < i; k++)
            cr_expect_str_neq(keys[i], keys[k], "%s", systems[i]);
        study_close(s);
    }
}

/* Nothing fits: a row without a plan, and the run goes on. */
Test(study_clusters, nothing_fits)
{
    struct study *s = parse("{\"models\": [\"gpt3-175b\", \"llama3.1-8b\"], \"batch\": 16, "
                            "\"systems\": [\"h100-sxm5-80g x8 + a100-sxm4-80g x8 "
                            "link=100Gb/s@50us\"]}");
    search_all(s, 1, &kept);
    cr_expect_eq(kept.found[0], 0);
    cr_expect_eq(kept.found[1], 1);
    study_close(s);
}
