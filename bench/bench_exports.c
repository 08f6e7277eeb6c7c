/* bench_exports TARGET COUNT [VERSION]: exports random plans, for the tools' own checks to judge.
 *
 * megatron prints the words behind pretrain_gpt.py of each run as {"words": [...], "world": N,
 * "environment": {...}}, one line each, deepspeed and torchtitan what was written as
 * {"text": "...", "world": N}. docs/exports.md has the recipe. */
#include "../tests/random_plans.h"
#include "keys/target.h"
#include "megatron/bridge.h"
#include "megatron/megatron.h"
#include "shell/shell.h"
#include "trainers/accelerate.h"
#include "trainers/deepspeed.h"
#include "trainers/nanotron.h"

#include <inttypes.h>
#include <jansson.h>
#include <reckon/catalog.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void print(json_t *line)
{
    json_dumpf(line, stdout, JSON_COMPACT);
    putchar('\n');
    json_decref(line);
}

/* The words of the one command that starts Megatron-LM, as bash would give them. */
static void print_words(const char *script, size_t size, uint64_t world)
{
    static const char *const sets[] = {"MEGATRON=."};
    struct shell shell;
    struct rk_error error;
    json_t *words = json_array();
    const bool one_queue = strstr(script, "export CUDA_DEVICE_MAX_CONNECTIONS=1");
    if (shell_read(&shell, "run.sh", script, size, sets, 1, &error) != RK_OK) abort();
    const struct shell_command *last = &shell.command[shell.commands - 1];
    bool behind = false;
    for (size_t i = 0; i < last->count; i++) {
        const char *text = shell.word[last->first + i].text;
        if (behind) json_array_append_new(words, json_string(text));
        behind |= strstr(text, "pretrain_gpt.py") != NULL;
    }
    print(json_pack("{s:o, s:I, s:o}", "words", words, "world", (json_int_t)world, "environment",
                    one_queue ? json_pack("{s:s}", "CUDA_DEVICE_MAX_CONNECTIONS", "1")
                              : json_object()));
    shell_release(&shell);
}

static bool run(const char *tool, const struct rk_model *model, int version)
{
    static struct notes notes; /* large */
    const bool megatron = strcmp(tool, "megatron") == 0, titan = strcmp(tool, "torchtitan") == 0;
    const bool accelerate = strcmp(tool, "accelerate") == 0;
    const bool nanotron = strcmp(tool, "nanotron") == 0, bridge = strcmp(tool, "bridge") == 0;
    const struct rk_plan plan = megatron || bridge ? random_megatron(model)
                                : titan            ? random_torchtitan()
                                : accelerate       ? random_accelerate()
                                : nanotron         ? random_nanotron(model)
                                                   : random_deepspeed();
    const struct megatron_target target = {.version = version, .mock_data = true};
    struct rk_error error;
    char *text = NULL;
    size_t size;
    FILE *memory = open_memstream(&text, &size);
    notes = (struct notes){.count = 0};
    const enum rk_status status =
        megatron     ? megatron_write(memory, model, &plan, &target, &notes, &error)
        : titan      ? target_write(&torchtitan_target, memory, model, &plan, 0, &notes, &error)
        : accelerate ? target_write(&accelerate_target, memory, model, &plan, 0, &notes, &error)
        : nanotron   ? target_write(&nanotron_target, memory, model, &plan, 0, &notes, &error)
        : bridge     ? target_write(&bridge_target, memory, model, &plan, 0, &notes, &error)
                     : target_write(&deepspeed_target, memory, model, &plan, 0, &notes, &error);
    fclose(memory);
    if (status == RK_OK && megatron) print_words(text, size, plan.ranks);
    if (status == RK_OK && !megatron)
        print(json_pack("{s:s, s:I, s:I}", "text", text, "world", (json_int_t)plan.ranks, "data",
                        (json_int_t)rk_plan_data(&plan)));
    free(text);
    return status == RK_OK;
}

int main(int argc, char **argv)
{
    static const char *const models[] = {"llama3.1-8b", "llama3.1-70b", "gpt3-175b", "mixtral-8x7b",
                                         "deepseek-v3"};
    const int count = argc > 2 ? atoi(argv[2]) : 500;
    const int version = argc > 3 ? megatron_version(argv[3]) : 0;
    const char *tool = argc > 1 ? argv[1] : "megatron";
    const int last = strcmp(tool, "megatron") == 0 ? 5
                     : strcmp(tool, "bridge") == 0 ? 4
                                                   : 1; /* the others' plans have no experts */
    int refused = 0;
    for (int i = 0; i < count; i++) {
        struct rk_model model;
        struct rk_error error;
        if (rk_model_load(models[i % last], &model, &error) != RK_OK) return 1;
        refused += !run(tool, &model, version);
    }
    fprintf(stderr, "%d plans, %d refused here\n", count, refused);
    return 0;
}
