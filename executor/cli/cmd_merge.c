/* reckon merge: the shards of a plan as one checkpoint. */
#include "base/units.h"
#include "cli/commands.h"
#include "cli/shard_show.h"

#include <string.h>

struct merge_args {
    const char *shards, *output, *most;
    struct move_args moves;
    struct show_args show;
};

#define AT(member) .offset = offsetof(struct merge_args, member)

/* clang-format off */
static const struct operand operands[] = {
    {.name = "DIR", AT(shards), .complete = "file"},
    {.name = NULL},
};

static const struct option rows[] = {
    {.letter = 'o', .name = "output", .type = OPTION_TEXT, .argument = "DIR", AT(output), .complete = "file"},
    {.name = "max-shard", .type = OPTION_TEXT, .argument = "SIZE", AT(most)},
    {.name = NULL},
};

const struct usage merge_usage = {
#include "help/merge.h"
    .operands = operands,
    .groups = {
        {"Checkpoint", rows, 0},
        {"Moving", shard_move_options, offsetof(struct merge_args, moves)},
        {"Form", show_options, offsetof(struct merge_args, show)},
        {"General", options_help_rows, 0},
    },
};
/* clang-format on */

static enum rk_status read_size(const char *text, uint64_t *bytes, struct rk_error *error)
{
    struct units_error wrong;
    double value;
    if (!text) return RK_OK;
    if (!quantity_parse(text, strlen(text), QUANTITY_BYTES, false, &value, &wrong))
        return rk_fail(error, RK_BAD_ARGUMENT, NULL, 0, 0, "--max-shard: %s", wrong.text);
    if (!(value >= 1))
        return rk_fail(error, RK_BAD_ARGUMENT, NULL, 0, 0, "--max-shard: at least 1 byte");
    *bytes = value < 9e18 ? (uint64_t)value : UINT64_MAX;
    return RK_OK;
}

int cmd_merge(int argc, char **argv)
{
    struct merge_args args = {.shards = NULL};
    struct rk_shard_options options = {.model = NULL};
    struct sharding s = {.kind = SHARDING_MERGE};
    struct transferred done;
    struct rk_error error;
    const int read = options_read(&merge_usage, argc, argv, &args);
    if (read >= 0) return read;
    shard_take_moves(&args.moves, &options);
    enum rk_status status = read_size(args.most, &options.most_bytes, &error);
    if (status == RK_OK && !args.output)
        status = rk_fail(&error, RK_BAD_ARGUMENT, NULL, 0, 0, "-o DIR is missing: where to?");
    if (status == RK_OK)
        status = sharding_plan(SHARDING_MERGE, args.shards, NULL, &options, &s, &error);
    if (status == RK_OK) status = sharding_write(&s, args.output, &done, &error);
    const int code =
        status == RK_OK ? shard_show(&s, &done, false, &args.show) : options_fail(&error);
    sharding_release(&s);
    return code;
}
