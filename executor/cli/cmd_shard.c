/* reckon shard: which part of which tensor goes to which rank, and the files of the ranks. */
#include "cli/commands.h"
#include "cli/model_input.h"
#include "cli/plan_input.h"
#include "cli/shard_cases.h"
#include "cli/shard_show.h"

#include <string.h>

struct shard_args {
    const char *checkpoint, *model, *plan, *output, *check, *cases;
    struct option_texts words;
    uint64_t rank;
    bool dry_run, explain, one_rank;
    int cut, split, unknown, scales, generation;
    struct move_args moves;
    struct show_args show;
};

#define AT(member) .offset = offsetof(struct shard_args, member)

static const char *const generations[] = {"current", "first", NULL};
static const char *const scales[] = {"refuse", "copy", NULL};

/* clang-format off */
static const struct operand operands[] = {
    {.name = "CHECKPOINT", AT(checkpoint), .optional = 1, .complete = "file"},
    {.name = "PLAN", AT(words), .optional = OPERAND_MANY, .complete = "plan"},
    {.name = NULL},
};

static const struct option what_rows[] = {
    {.letter = 'm', .name = "model", .common = true, .type = OPTION_TEXT, .argument = "MODEL", AT(model), .complete = "models"},
    {.letter = 'p', .name = "plan", .common = true, .type = OPTION_TEXT, .argument = "FILE|WORDS", AT(plan), .complete = "file"},
    {.name = "split", .type = OPTION_CHOICE, .choices = shard_split_names, AT(split)},
    {.name = "unknown", .type = OPTION_CHOICE, .choices = shard_unknown_names, AT(unknown)},
    {.name = "zero", .type = OPTION_CHOICE, .choices = shard_cut_names, AT(cut)},
    {.name = "scales", .type = OPTION_CHOICE, .choices = scales, AT(scales)},
    {.name = NULL},
};

static const struct option how_rows[] = {
    {.letter = 'o', .name = "output", .common = true, .type = OPTION_TEXT, .argument = "DIR", AT(output), .complete = "file"},
    {.name = "rank", .common = true, .type = OPTION_NUMBER, AT(rank), .min = 0},
    {.name = "dry-run", .common = true, .type = OPTION_FLAG, AT(dry_run)},
    {.name = "explain", .type = OPTION_FLAG, AT(explain)},
    {.name = "check", .common = true, .type = OPTION_TEXT, .argument = "DIR", AT(check), .complete = "file"},
    {.name = NULL},
};

static const struct option tree_rows[] = {
    {.name = "cases", .type = OPTION_TEXT, .argument = "FILE", AT(cases), .complete = "file"},
    {.name = "generation", .type = OPTION_CHOICE, .choices = generations, AT(generation)},
    {.name = NULL},
};

const struct usage shard_usage = {
#include "help/shard.h"
    .operands = operands,
    .groups = {
        {"Placement", what_rows, 0},
        {"Actions", how_rows, 0},
        {"Moving", shard_move_options, offsetof(struct shard_args, moves)},
        {"Trees", tree_rows, 0},
        {"Form", show_options, offsetof(struct shard_args, show)},
        {"General", options_help_rows, 0},
    },
};
/* clang-format on */

static int check(const struct shard_args *args)
{
    const struct rk_shard_options options = {.model = NULL};
    struct sharding s;
    struct rk_error error;
    const enum rk_status status =
        sharding_plan(SHARDING_MERGE, args->check, NULL, &options, &s, &error);
    if (status == RK_OK)
        printf("%zu tensors are whole in %zu files: %s\n", s.from.layout.tensors,
               s.from.layout.files, s.from.plan ? s.from.plan : "of no plan");
    sharding_release(&s);
    return status == RK_OK ? RK_OK : options_fail(&error);
}

static int run(const struct shard_args *args)
{
    struct rk_shard_options options = {.cut = (enum rk_shard_cut)args->cut,
                                       .split = (enum rk_shard_split)args->split,
                                       .unknown = (enum rk_shard_unknown)args->unknown,
                                       .copy_scales = args->scales == 1,
                                       .only_rank = args->rank == UINT64_MAX ? 0 : args->rank + 1};
    struct rk_model model;
    struct rk_plan plan;
    struct sharding s = {.kind = SHARDING_SPLIT};
    struct transferred done;
    struct rk_error error;
    const bool writes = args->output && !args->dry_run;
    shard_take_moves(&args->moves, &options);
    enum rk_status status = shard_read_plan(args->plan, &args->words, &plan, &error);
    if (status == RK_OK) status = shard_check_cut(options.cut, &plan, &error);
    if (status == RK_OK && args->model) {
        status = model_open(args->model, &model, &error);
        options.model = &model;
    }
    if (status == RK_OK)
        status = sharding_plan(SHARDING_SPLIT, args->checkpoint, &plan, &options, &s, &error);
    if (status == RK_OK && !writes && !args->dry_run && !args->explain)
        status = rk_fail(&error, RK_BAD_ARGUMENT, NULL, 0, 0,
                         "-o DIR is missing: where to? --dry-run and --explain write nothing");
    if (status == RK_OK && writes) status = sharding_write(&s, args->output, &done, &error);
    const int code = status == RK_OK
                         ? shard_show(&s, writes ? &done : NULL, args->explain, &args->show)
                         : options_fail(&error);
    sharding_release(&s);
    return code;
}

/* Without a checkpoint the first operand is a word of the plan. */
static void take_operands(struct shard_args *args)
{
    struct option_texts *words = &args->words;
    if (!args->model || !args->checkpoint ||
        !plan_is_word(args->checkpoint, strcspn(args->checkpoint, "=")))
        return;
    if (words->count == OPTION_MAX_VALUES) return;
    for (int i = words->count++; i > 0; i--) {
        words->text[i] = words->text[i - 1];
        words->name[i] = words->name[i - 1];
    }
    words->text[0] = args->checkpoint;
    words->name[0] = NULL;
    args->checkpoint = NULL;
}

int cmd_shard(int argc, char **argv)
{
    struct shard_args args = {.rank = UINT64_MAX};
    const int done = options_read(&shard_usage, argc, argv, &args);
    if (done >= 0) return done;
    if (args.cases) return shard_cases(args.cases, (enum redco_generation)args.generation);
    if (args.check) return check(&args);
    take_operands(&args);
    return run(&args);
}
