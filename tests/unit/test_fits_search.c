/* `reckon fits` without a plan, `fits --tune` held to one way and `reckon search` are asked the
 * same: they propose one plan, with the memory of the nodes where nothing surely fits without. */
#include "drawn.h"
#include "draws.h"

#include <criterion/criterion.h>
#include <inttypes.h>
#include <jansson.h>
#include <reckon/reckon.h>
#include <stdio.h>
#include <string.h>

static const char *const machines[] = {"h100-sxm5-80g", "a100-sxm4-40g",
                                       "rtx4090",       "l40s",
                                       "v100-sxm2-32g", "rtx4090 mem2=64GiB@20GB/s"};
static const char *const models[] = {"gpt2-1558m",  "llama3.2-1b", "llama3.2-3b",
                                     "llama3.1-8b", "olmoe-1b-7b", "qwen3-32b"};
static const char *const ways[] = {"framework=fsdp lora=16 base=nf4-dq",
                                   "framework=fsdp lora=16",
                                   "framework=fsdp lora=0",
                                   "framework=fsdp lora=0 weight-bytes=2 gradient-bytes=2",
                                   "framework=deepspeed lora=0",
                                   "framework=megatron lora=0"};

struct asked {
    uint64_t seed;
    char system[128], words[256], batch[24], tokens[24];
    const char *model;
};

/* The plan proposed and its step; false: none fits. */
static bool propose(const struct asked *a, const char *command, const char *option,
                    char plan[RK_PLAN_TEXT], double *step_s)
{
    const char *words[] = {command,      a->model,  a->system,  a->words, "-b",   a->batch,
                           "--sequence", a->tokens, "--format", "json",   option, NULL};
    struct rk_command_answer answer;
    rk_command(option ? 11 : 10, words, NULL, NULL, &answer);
    json_t *json = json_loads(answer.text ? answer.text : "", 0, NULL);
    const json_t *best = json_array_get(json_object_get(json, "best"), 0);
    const json_t *row = best ? best : json;
    const char *text = json_string_value(json_object_get(row, best ? "plan" : "plan_words"));
    const bool fits = text && (best || json_is_true(json_object_get(row, "fits")));
    snprintf(plan, RK_PLAN_TEXT, "%s", fits ? text : "");
    *step_s = fits ? json_number_value(json_object_get(row, "step_s")) : 0;
    json_decref(json);
    rk_command_release(&answer);
    return fits;
}

static void draw_case(struct asked *a)
{
    const uint64_t gpus = UINT64_C(1) << below(4);
    a->model = models[below(6)];
    snprintf(a->system, sizeof a->system, "%s x%" PRIu64, machines[below(6)], gpus);
    snprintf(a->batch, sizeof a->batch, "%" PRIu64, gpus << below(6));
    snprintf(a->tokens, sizeof a->tokens, "%" PRIu64, UINT64_C(1024) << below(4));
    snprintf(a->words, sizeof a->words, "%s no-loss-in-chunks no-optimizer-paged", ways[below(6)]);
}

Test(fits_search, one_plan_is_proposed)
{
    static const char *const asks[][2] = {{"fits", NULL}, {"fits", "--tune"}};
    const struct drawn cases = drawn_cases(DRAWN(60), 1000);
    uint64_t some = 0;
    char best[RK_PLAN_TEXT], plan[RK_PLAN_TEXT];
    double best_s, step_s;
    for (struct asked a = {.seed = cases.first}; a.seed < cases.end; a.seed++) {
        random_state = a.seed * 7919;
        draw_case(&a);
        some += propose(&a, "search", NULL, best, &best_s);
        for (int i = 0; i < 2; i++) {
            propose(&a, asks[i][0], asks[i][1], plan, &step_s);
            cr_expect(step_s == best_s,
                      "seed %" PRIu64 ", %s %s %s: %s %s takes %s (%g s), search %s (%g s)", a.seed,
                      a.model, a.system, a.words, asks[i][0], asks[i][1] ? asks[i][1] : "", plan,
                      step_s, best, best_s);
        }
    }
    cr_expect(drawn_enough(some > (cases.end - cases.first) / 2), "%" PRIu64 " have a plan", some);
}
