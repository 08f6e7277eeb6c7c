/* reckon reshard: the shards of a plan as those of another one. */
#include "cli/commands.h"
#include "cli/model_input.h"
#include "cli/shard_show.h"

struct reshard_args {
    const char *shards, *output, *model, *plan;
    struct option_texts to;
    int cut, scales, unknown, split;
    bool dry_run, explain;
    struct move_args moves;
    struct show_args show;
};

#define AT(member) .offset = offsetof(struct reshard_args, member)

static const char *const scales[] = {"refuse", "copy", NULL};

/* clang-format off */
static const struct operand operands[] = {
    {.name = "DIR", AT(shards), .complete = "file"},
    {.name = "PLAN", AT(to), .optional = OPERAND_MANY, .complete = "plan"},
    {.name = NULL},
};

static const struct option rows[] = {
    {.name = "to", .common = true, .type = OPTION_TEXTS, .argument = "WORDS", AT(to), .complete = "plan"},
    {.letter = 'p', .name = "plan", .common = true, .type = OPTION_TEXT, .argument = "FILE|WORDS", AT(plan), .complete = "file"},
    {.letter = 'o', .name = "output", .common = true, .type = OPTION_TEXT, .argument = "DIR", AT(output), .complete = "file"},
    {.letter = 'm', .name = "model", .common = true, .type = OPTION_TEXT, .argument = "MODEL", AT(model), .complete = "models"},
    {.name = "zero", .type = OPTION_CHOICE, .choices = shard_cut_names, AT(cut)},
    {.name = "split", .type = OPTION_CHOICE, .choices = shard_split_names, AT(split)},
    {.name = "unknown", .type = OPTION_CHOICE, .choices = shard_unknown_names, AT(unknown)},
    {.name = "scales", .type = OPTION_CHOICE, .choices = scales, AT(scales)},
    {.name = "dry-run", .common = true, .type = OPTION_FLAG, AT(dry_run)},
    {.name = "explain", .type = OPTION_FLAG, AT(explain)},
    {.name = NULL},
};

const struct usage reshard_usage = {
#include "help/reshard.h"
    .operands = operands,
    .groups = {
        {"Plan", rows, 0},
        {"Moving", shard_move_options, offsetof(struct reshard_args, moves)},
        {"Form", show_options, offsetof(struct reshard_args, show)},
        {"General", options_help_rows, 0},
    },
};
/* clang-format on */

int cmd_reshard(int argc, char **argv)
{
    struct reshard_args args = {.shards = NULL};
    struct rk_shard_options options = {.model = NULL};
    struct sharding s = {.kind = SHARDING_AGAIN};
    struct rk_model model;
    struct rk_plan plan;
    struct transferred done;
    struct rk_error error;
    const int read = options_read(&reshard_usage, argc, argv, &args);
    if (read >= 0) return read;
    const bool writes = args.output && !args.dry_run;
    shard_take_moves(&args.moves, &options);
    options.cut = (enum rk_shard_cut)args.cut;
    options.split = (enum rk_shard_split)args.split;
    options.unknown = (enum rk_shard_unknown)args.unknown;
    options.copy_scales = args.scales == 1;
    for (int i = 0; i < args.to.count; i++)
        args.to.name[i] = NULL; /* of the plan, not of an option of it */
    enum rk_status status = shard_read_plan(args.plan, &args.to, &plan, &error);
    if (status == RK_OK) status = shard_check_cut(options.cut, &plan, &error);
    if (status == RK_OK && args.model) {
        status = model_open(args.model, &model, &error);
        options.model = &model;
    }
    if (status == RK_OK && !writes && !args.dry_run && !args.explain)
        status = rk_fail(&error, RK_BAD_ARGUMENT, NULL, 0, 0,
                         "-o DIR is missing: where to? --dry-run and --explain write nothing");
    if (status == RK_OK)
        status = sharding_plan(SHARDING_AGAIN, args.shards, &plan, &options, &s, &error);
    if (status == RK_OK && writes) status = sharding_write(&s, args.output, &done, &error);
    const int code = status == RK_OK
                         ? shard_show(&s, writes ? &done : NULL, args.explain, &args.show)
                         : options_fail(&error);
    sharding_release(&s);
    return code;
}
