/* reckon shard: which part of which tensor goes to which rank. */
#include "cli/commands.h"
#include "cli/shard_cases.h"

struct shard_args {
    const char *cases;
    int generation; /* enum redco_generation */
};

#define AT(member) .offset = offsetof(struct shard_args, member)

static const char *const generations[] = {"current", "first", NULL};

/* clang-format off */
static const struct option rows[] = {
    {.name = "cases", .type = OPTION_TEXT, .argument = "FILE", AT(cases), .complete = "file",
     .help = "trees of weights that nobody described, {\"shapes\": {path: [..]}, \"shards\": S} in a list or one a line: print a line of JSON for each, by Redco's rules"},
    {.name = "generation", .type = OPTION_CHOICE, .choices = generations, AT(generation),
     .help = "of Redco's rules (current)"},
    {.name = NULL},
};

const struct usage shard_usage = {
    .name = "shard",
    .summary = "which part of which tensor goes to which rank",
    .synopsis = "--cases FILE",
    .description =
        "Splits trees of weights that nobody described by Redco's two rules (Tan et al. 2023): "
        "successive matrices along alternating dimensions; of attention, queries, keys and values "
        "by their output, the output projection by its input.",
    .groups = {
        {"Trees", rows, 0},
        {"General", options_help_rows, 0},
    },
    .examples = {
        {"reckon shard --cases trees.json", "The dimension that each key is split along:"},
    },
};
/* clang-format on */

int cmd_shard(int argc, char **argv)
{
    struct shard_args args = {.cases = NULL};
    struct rk_error error;
    const int done = options_read(&shard_usage, argc, argv, &args);
    if (done >= 0) return done;
    if (args.cases) return shard_cases(args.cases, (enum redco_generation)args.generation);
    rk_fail(&error, RK_USAGE, NULL, 0, 0, "--cases is missing: which trees?");
    return options_fail(&error);
}
