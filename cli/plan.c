#include "cli/plan.h"

#include <inttypes.h>
#include <stdarg.h>
#include <string.h>

static const char *const datatype_names[] = {"float8", "float16", "bfloat16", "float32", NULL};
static const char *const no_yes[] = {"no", "yes", NULL};
static const struct option_alias training_aliases[] = {{"yes", 1, 1}, {NULL, 0, 0}};

#define AT(member) .offset = offsetof(struct plan_args, member)

/* clang-format off */
const struct option plan_input_options[] = {
    {.letter = 'm', .name = "model", .type = OPTION_TEXT, .argument = "MODEL", AT(model), .complete = "models",
     .help = "what is trained: an id of `reckon models`, a file, or - (standard input)"},
    {.letter = 's', .name = "system", .type = OPTION_TEXT, .argument = "SYSTEM", AT(system), .complete = "systems",
     .help = "the machine: an id of `reckon systems`, a file, -, or a description in one line, \"h100-80g x4096 nvl8 hbm=120GiB\""},
    {.name = NULL},
};
const struct option plan_size_options[] = {
    {.letter = 'g', .name = "gpus", .type = OPTION_NUMBER, AT(gpus), .min = 1,
     .help = "accelerators in use"},
    {.letter = 'b', .name = "batch", .type = OPTION_NUMBER, AT(batch), .min = 1,
     .help = "samples of one step, over all GPUs"},
    {.letter = 'd', .name = "datatype", .type = OPTION_CHOICE, .choices = datatype_names, .argument = "TYPE", AT(datatype),
     .help = "float8, float16, bfloat16 or float32 (bfloat16 if the system has it, else float16, else what it has)"},
    {.name = NULL},
};
const struct option plan_strategy_options[] = {
    {.name = "strategy", .type = OPTION_TEXT, .argument = "FILE", AT(strategy), .complete = "file",
     .help = "a strategy file, as `reckon search -o FILE` writes it; the flags below override it"},
    {.name = "training", .type = OPTION_VALUES, .choices = no_yes, .aliases = training_aliases, .optional = true, AT(training),
     .help = "train; no: forward passes only (yes)"},
    {.name = NULL},
};
/* clang-format on */

enum rk_status plan_load(const struct plan_args *args, struct rk_model *model,
                         struct rk_system *system, struct rk_error *error)
{
    if (!args->model)
        return rk_fail(error, RK_USAGE, NULL, 0, 0,
                       "--model is missing: reckon models lists what there is");
    if (!args->system)
        return rk_fail(error, RK_USAGE, NULL, 0, 0,
                       "--system is missing: reckon systems lists what there is");
    const int inputs = (strcmp(args->model, "-") == 0) + (strcmp(args->system, "-") == 0) +
                       (args->strategy && strcmp(args->strategy, "-") == 0);
    if (inputs > 1)
        return rk_fail(error, RK_USAGE, NULL, 0, 0,
                       "standard input (-) can be read once: give files for the others");
    const enum rk_status status = rk_model_load(args->model, model, error);
    return status == RK_OK ? rk_system_load(args->system, system, error) : status;
}

bool plan_supports(const struct rk_system *system, enum rk_datatype datatype)
{
    return system->matrix[datatype].curve.steps && system->vector[datatype].curve.steps;
}

enum rk_datatype plan_datatype(const struct rk_system *system)
{
    static const enum rk_datatype order[] = {RK_BFLOAT16, RK_FLOAT16, RK_FLOAT32, RK_FLOAT8};
    for (size_t i = 0; i < sizeof order / sizeof *order; i++)
        if (plan_supports(system, order[i])) return order[i];
    return RK_BFLOAT16;
}

/* ---- what was not given ---- */

/* A plan on its way. */
struct draft {
    const struct plan_args *args;
    const struct rk_system *system;
    struct rk_strategy *s;
    bool file; /* the strategy started from a file */
    char *assumed;
};

static void assume(struct draft *d, const char *format, ...) RK_PRINTF(2, 3);
static void assume(struct draft *d, const char *format, ...)
{
    size_t used = strlen(d->assumed);
    va_list values;
    if (used) used += (size_t)snprintf(d->assumed + used, PLAN_ASSUMED - used, ", ");
    if (used >= PLAN_ASSUMED) return;
    va_start(values, format);
    vsnprintf(d->assumed + used, PLAN_ASSUMED - used, format, values);
    va_end(values);
}

static bool given(const struct draft *d, enum rk_axis axis)
{
    return axis_given(&d->args->axes, axis);
}

/* Product of the degrees; false beyond 2^53. */
static bool product(uint64_t *result, uint64_t a, uint64_t b, uint64_t c)
{
    return !__builtin_mul_overflow(a, b, result) && !__builtin_mul_overflow(*result, c, result) &&
           *result <= (uint64_t)1 << 53;
}

static enum rk_status too_large(const char *what, struct rk_error *error)
{
    return rk_fail(error, RK_USAGE, NULL, 0, 0, "%s is larger than 2^53: give smaller values",
                   what);
}

static enum rk_status choose_degrees(struct draft *d, struct rk_error *error)
{
    struct rk_strategy *s = d->s;
    const bool data_stands =
        given(d, RK_AXIS_DATA) ||
        (d->file && !d->args->gpus && !given(d, RK_AXIS_TENSOR) && !given(d, RK_AXIS_PIPELINE));
    const bool data_counts = given(d, RK_AXIS_DATA);
    uint64_t inner;
    if (!product(&inner, s->tensor, s->pipeline, data_counts ? s->data : 1))
        return too_large("tensor * pipeline * data", error);
    if (d->args->gpus) {
        s->ranks = d->args->gpus;
    } else if (!d->file || data_counts) {
        s->ranks = d->system->devices && !data_counts ? d->system->devices : inner;
        assume(d, "gpus %" PRIu64, s->ranks);
    }
    if (data_stands) return RK_OK;
    s->data = inner && s->ranks / inner ? s->ranks / inner : 1;
    assume(d, "data %" PRIu64, s->data);
    return RK_OK;
}

static enum rk_status choose_batch(struct draft *d, struct rk_error *error)
{
    struct rk_strategy *s = d->s;
    uint64_t streams;
    if (d->args->batch) {
        s->batch = d->args->batch;
    } else if (!d->file) {
        if (!product(&streams, s->data, s->microbatch, 4) ||
            !product(&s->batch, streams, s->pipeline, 1))
            return too_large("the batch of 4 microbatches per stage", error);
        assume(d, "batch %" PRIu64, s->batch);
    }
    return RK_OK;
}

static void choose_datatype(struct draft *d)
{
    if (d->args->datatype >= 0) {
        d->s->datatype = (enum rk_datatype)d->args->datatype;
    } else if (!d->file) {
        d->s->datatype = plan_datatype(d->system);
        assume(d, "datatype %s", rk_datatype_name(d->s->datatype));
    }
}

/* Does a degree fit on a tier that `load` ranks are on already? */
static bool network_holds(const struct rk_network *network, uint64_t load, uint64_t degree)
{
    uint64_t both;
    if (!product(&both, load, degree, 1) || both > network->size) return false;
    return !network->must_be_filled || network->size % both == 0;
}

/* `load`: what is on `tier` already; both move outwards until the degree fits. */
static int choose_network(const struct rk_system *system, uint64_t degree, int *tier,
                          uint64_t *load)
{
    if (degree <= 1) return 0;
    while (*tier + 1 < system->networks && !network_holds(&system->network[*tier], *load, degree)) {
        ++*tier;
        *load = 1;
    }
    if (!product(load, *load, degree, 1)) *load = UINT64_MAX;
    return *tier;
}

static void choose_networks(struct draft *d)
{
    struct rk_strategy *s = d->s;
    const struct {
        enum rk_axis axis;
        uint64_t degree;
        int *network;
    } parallelisms[] = {
        {RK_AXIS_TENSOR_NETWORK, s->tensor, &s->tensor_network},
        {RK_AXIS_PIPELINE_NETWORK, s->pipeline, &s->pipeline_network},
        {RK_AXIS_DATA_NETWORK, s->data, &s->data_network},
    };
    int tier = 0;
    uint64_t load = 1;
    for (int i = 0; i < 3; i++) {
        const int chosen = choose_network(d->system, parallelisms[i].degree, &tier, &load);
        if (!d->file && !given(d, parallelisms[i].axis)) *parallelisms[i].network = chosen;
    }
}

enum rk_status plan_resolve(const struct plan_args *args, const struct rk_system *system,
                            struct rk_strategy *strategy, char assumed[PLAN_ASSUMED],
                            struct rk_error *error)
{
    struct draft draft = {args, system, strategy, args->strategy != NULL, assumed};
    enum rk_status status = RK_OK;
    *strategy = (struct rk_strategy){.tensor = 1,
                                     .pipeline = 1,
                                     .data = 1,
                                     .interleaving = 1,
                                     .microbatch = 1,
                                     .training = true,
                                     .recompute = RK_RECOMPUTE_NONE,
                                     .fused_activation = true};
    assumed[0] = '\0';
    if (draft.file) status = rk_strategy_load(args->strategy, strategy, error);
    if (status == RK_OK) status = axes_apply(&args->axes, strategy, error);
    if (status != RK_OK) return status;
    if (args->training.count) strategy->training = args->training.range[0].low;
    choose_datatype(&draft);
    status = choose_degrees(&draft, error);
    if (status == RK_OK) status = choose_batch(&draft, error);
    if (status == RK_OK) choose_networks(&draft);
    return status;
}
