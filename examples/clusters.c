/* clusters.c - the best plan over several clusters with the installed library, stage by stage.
 *
 *     cc clusters.c $(pkg-config --cflags --libs reckon) -o clusters
 *     ./clusters llama3.1-8b "h100-sxm5-80g x16 + a100-sxm4-80g x16 link=100Gb/s@50us" "gbs256"
 */
#include <reckon/reckon.h>
#include <stdio.h>

static int fail(const struct rk_error *error)
{
    char text[1024];
    rk_error_format(error, text, sizeof text);
    fprintf(stderr, "clusters: %s\n", text);
    return error->status;
}

int main(int argc, char **argv)
{
    struct rk_model model;
    struct rk_machine machine;
    static struct rk_clusters_plan plan;
    struct rk_error error;
    if (argc < 4) {
        fprintf(stderr, "usage: clusters MODEL MACHINE WORDS\n");
        return 2;
    }
    if (rk_model_load(argv[1], &model, &error) != RK_OK ||
        rk_clusters_search(&model, argv[2], argv[3], &plan, &error) != RK_OK ||
        rk_machine_load(argv[2], &machine, &error) != RK_OK)
        return fail(&error);
    printf("%.4f s a step; no plan has an objective below %.4f s\n", plan.step_s, plan.bound_s);
    for (int i = 0; i < plan.stages; i++) {
        const struct rk_clusters_stage *s = &plan.stage[i];
        printf("stage %d: %llu layers on %llu nodes of %s, tp%llu dp%llu\n", i,
               (unsigned long long)s->layers, (unsigned long long)s->nodes,
               machine.cluster[s->cluster].name, (unsigned long long)s->tensor,
               (unsigned long long)s->data);
    }
    rk_machine_release(&machine);
    return 0;
}
