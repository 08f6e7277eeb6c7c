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
    {.name = "DIR", AT(shards), .complete = "file", .help = "a folder that reckon shard or reshard wrote"},
    {.name = "PLAN", AT(to), .optional = OPERAND_MANY, .complete = "plan",
     .help = "words of the new plan, as after --to"},
    {.name = NULL},
};

static const struct option rows[] = {
    {.name = "to", .type = OPTION_TEXTS, .argument = "WORDS", AT(to), .complete = "plan",
     .help = "words of the new plan, \"tp4 pp2\""},
    {.letter = 'p', .name = "plan", .type = OPTION_TEXT, .argument = "FILE|WORDS", AT(plan), .complete = "file",
     .help = "a plan file, reckon-plan(5), or a line of words, in place of --to"},
    {.letter = 'o', .name = "output", .type = OPTION_TEXT, .argument = "DIR", AT(output), .complete = "file",
     .help = "write the shards to a new folder; a stopped run goes on when it is asked for again"},
    {.letter = 'm', .name = "model", .type = OPTION_TEXT, .argument = "MODEL", AT(model), .complete = "models",
     .help = "the model's shape, where the shards do not say it"},
    {.name = "zero", .type = OPTION_CHOICE, .choices = shard_cut_names, AT(cut),
     .help = "what ranks of data parallelism divide among themselves (none)"},
    {.name = "split", .type = OPTION_CHOICE, .choices = shard_split_names, AT(split),
     .help = "Split over tensor ranks by the roles of tensors, by Redco's rules (of today, of the paper; they need no model), or by predicted communication (roles)"},
    {.name = "unknown", .type = OPTION_CHOICE, .choices = shard_unknown_names, AT(unknown),
     .help = "tensors whose names no table knows (refuse)"},
    {.name = "scales", .type = OPTION_CHOICE, .choices = scales, AT(scales),
     .help = "where a cut goes through 128 x 128 values that share a scale (refuse)"},
    {.name = "dry-run", .type = OPTION_FLAG, AT(dry_run), .help = "read headers, check, show, write nothing"},
    {.name = "explain", .type = OPTION_FLAG, AT(explain), .help = "the table of tensors by rank"},
    {.name = NULL},
};

const struct usage reshard_usage = {
    .name = "reshard",
    .summary = "the shards of a plan as those of another one",
    .synopsis = "DIR --to WORDS -o DIR [options]",
    .description =
        "Moves every part of every tensor from the ranks of one plan to those of another, without "
        "the whole checkpoint in between: what an old and a new file have in common is copied from "
        "the one to the other. The result is the same, byte for byte, as that of reckon merge and "
        "reckon shard.",
    .operands = operands,
    .groups = {
        {"Plan", rows, 0},
        {"Moving", shard_move_options, offsetof(struct reshard_args, moves)},
        {"Form", show_options, offsetof(struct reshard_args, show)},
        {"General", options_help_rows, 0},
    },
    .examples = {
        {"reckon reshard shards --to \"tp4 pp2\" -o shards-tp4", "From any plan to another:"},
        {"reckon reshard shards tp1 dp8 zero3 --zero fsdp -o fsdp", "To rows of FSDP:"},
    },
    .see_also = "reckon-shard(1), reckon-merge(1)",
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
