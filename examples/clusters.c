/* clusters.c - the best plan over several clusters with the installed library, stage by stage.
 *
 *     cc clusters.c $(pkg-config --cflags --libs reckon) -o clusters
 *     ./clusters llama3.1-8b "h100-sxm5-80g x16 + a100-sxm4-80g x16 link=100Gb/s@50us" 256
 */
#include <reckon/reckon.h>
#include <stdio.h>
#include <stdlib.h>

static int fail(const struct rk_error *error)
{
    char text[1024];
    rk_error_format(error, text, sizeof text);
    fprintf(stderr, "clusters: %s\n", text);
    return error->status;
}

static void print_stages(const struct rk_system *system, const struct rk_plan *plan,
                         const struct rk_prediction *prediction)
{
    const struct rk_layout *layout = rk_plan_layout(plan);
    for (int i = 0; i < layout->parts; i++) {
        const struct rk_stage_part *part = &layout->part[i];
        const struct rk_local *own = part->local ? &layout->other[part->local - 1] : &plan->local;
        const struct rk_stage *stage = &prediction->stage[part->stage];
        printf("stage %d: %llu layers on %s, tp%llu dp%u, %.1f GiB\n", part->stage,
               (unsigned long long)stage->blocks, system->machine->cluster[part->cluster].name,
               (unsigned long long)own->tensor, part->data, stage->total_bytes / 1073741824);
    }
}

int main(int argc, char **argv)
{
    struct rk_model model;
    struct rk_system system;
    struct rk_plan plan;
    static struct rk_prediction prediction;
    struct rk_error error;
    struct rk_plans_problem problem;
    if (argc < 4) {
        fprintf(stderr, "usage: clusters MODEL SYSTEM BATCH\n");
        return 2;
    }
    if (rk_model_load(argv[1], &model, &error) != RK_OK ||
        rk_system_load_several(argv[2], &system, &error) != RK_OK)
        return fail(&error);
    rk_plans_problem_init(&problem, &model, &system, RK_MEGATRON, 0, strtoull(argv[3], NULL, 10),
                          0);
    if (rk_plans_best(&problem, &plan, &prediction, &error) != RK_OK) {
        rk_system_release(&system);
        return fail(&error);
    }
    printf("%.4f s a step\n", prediction.step_s);
    print_stages(&system, &plan, &prediction);
    rk_system_release(&system);
    return 0;
}
