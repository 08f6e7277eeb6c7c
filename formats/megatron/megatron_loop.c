#include "megatron/megatron_loop.h"
#include "megatron/megatron_args.h"

#include <ctype.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define FLAG(name)          MEGATRON_##name##_FLAG
#define HAS(name)           megatron_has(args, FLAG(name))
#define COUNT(name, preset) megatron_count(args, FLAG(name), preset)

enum kind { SAID, TEXT, NUMBER };

static const struct facts {
    const char *name;
    enum kind kind;
    double least, most;
} facts[LOOP_ARGUMENTS] = {
#define FACTS(id, name, kind, least, most) [LOOP_##id] = {name, kind, least, most},
    MEGATRON_LOOP(FACTS)
#undef FACTS
};

/* Of these the upper end of the range is outside of it. */
static bool is_below(int which)
{
    return which == LOOP_WARMUP_FRACTION || which == LOOP_BETA1 || which == LOOP_BETA2;
}

/* ---- taking ---- */

static int find(const char *name)
{
    for (int i = 0; i < LOOP_ARGUMENTS; i++)
        if (strcmp(facts[i].name, name) == 0) return i;
    return -1;
}

static bool begins_argument(const struct shell_word *word)
{
    return word->text[0] == '-' && word->text[1] == '-' && isalpha((unsigned char)word->text[2]);
}

/* The first value after a name; NULL: none is there. */
static const char *value_of(const struct shell_word *words, size_t count, bool *unknown)
{
    const char *equals = strchr(words->text, '=');
    *unknown = words->unknown || words->maybe;
    if (equals) return equals + 1;
    if (count < 2) return NULL;
    *unknown = words[1].unknown || words[1].maybe;
    return *unknown || !begins_argument(&words[1]) ? words[1].text : NULL;
}

void megatron_loop_take(struct megatron_args *args, const struct megatron_other *other,
                        const struct shell_word *words, size_t count)
{
    bool unknown;
    const char *text = value_of(words, count, &unknown);
    const int which = find(other->name);
    const bool one = other->values != MEGATRON_NO_VALUE && other->values != MEGATRON_MANY_VALUES;
    if (!args->options->collect || args->foreign) return;
    if (one && !text)
        notes_add_rule(args->notes, "1.value", NOTE_REFUSED, words->place.line, words->place.column,
                       words->text, "", "",
                       "needs a value: the value is missing, or a variable that is "
                       "empty");
    if (which < 0) return;
    args->loop[which] = (struct megatron_loop_value){words, unknown ? NULL : text, NAN};
    if (facts[which].kind != NUMBER || unknown || !text) return;
    char *end;
    const double number = strtod(text, &end);
    if (end != text && !*end) args->loop[which].number = number;
}

/* ---- rules ---- */

struct check {
    const struct megatron_args *args;
    const struct rk_model *m;
    const struct rk_plan *p;
};

static void refuse(const struct megatron_args *args, const char *rule, int which, const char *fix,
                   const char *need)
{
    const struct megatron_loop_value *value = &args->loop[which];
    char what[72];
    snprintf(what, sizeof what, "--%s", facts[which].name);
    notes_add_rule(args->notes, rule, NOTE_REFUSED, value->flag ? value->flag->place.line : 0,
                   value->flag ? value->flag->place.column : 0, what,
                   value->text ? value->text : "", fix, "%s", need);
}

static void check_ranges(const struct megatron_args *args)
{
    char need[96];
    for (int i = 0; i < LOOP_ARGUMENTS; i++) {
        const struct facts *f = &facts[i];
        const double number = args->loop[i].number;
        if (f->kind != NUMBER || !args->loop[i].flag || isnan(number)) continue;
        if (number >= f->least && (is_below(i) ? number < f->most : number <= f->most)) continue;
        if (f->most <= 1 && !is_below(i))
            snprintf(need, sizeof need, "must be from %.0f to %.0f", f->least, f->most);
        else if (f->most <= 1)
            snprintf(need, sizeof need, "must be at least %.0f and below %.0f", f->least, f->most);
        else if (f->least > 0 && f->least < 1)
            snprintf(need, sizeof need, "must be above 0");
        else
            snprintf(need, sizeof need, "must be at least %.0f", f->least);
        refuse(args, "1.value", i, "", need);
    }
}

static void check_dropout(const struct megatron_args *args)
{
    static const enum megatron_flag dropouts[] = {FLAG(ATTENTION_DROPOUT), FLAG(HIDDEN_DROPOUT)};
    for (size_t i = 0; i < sizeof dropouts / sizeof *dropouts; i++) {
        const double share = megatron_number(args, dropouts[i], 0);
        if (!(share >= 0 && share <= 1))
            megatron_refuse(args, "1.value", dropouts[i], "must be from 0 to 1");
    }
}

#define GIVEN(name)    (args->loop[LOOP_##name].flag != NULL)
#define VALUE(name)    number_of(args, LOOP_##name) /* NAN, not known, compares as false */
#define SAYS(name, of) (args->loop[LOOP_##name].text && !strcmp(args->loop[LOOP_##name].text, of))
#define POSITIVE(name) (GIVEN(name) && VALUE(name) > 0)

static double number_of(const struct megatron_args *args, int which)
{
    return args->loop[which].flag ? args->loop[which].number : NAN;
}

struct rule {
    bool broken;
    int which;
    const char *id, *why, *fix;
};

static void apply(const struct megatron_args *args, const struct rule *rules, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (rules[i].broken) refuse(args, rules[i].id, rules[i].which, rules[i].fix, rules[i].why);
}

#define APPLY(rules) apply(args, rules, sizeof(rules) / sizeof *(rules))

static void check_length(const struct megatron_args *args)
{
    const bool iters = GIVEN(TRAIN_ITERS), samples = GIVEN(TRAIN_SAMPLES);
    const bool trains = !GIVEN(SKIP_TRAIN);
    const bool fraction = GIVEN(WARMUP_FRACTION);
    const struct rule rules[] = {
        {trains && iters && samples, LOOP_TRAIN_SAMPLES, "12.excludes",
         "cannot be given with --train-iters", "leave one out"},
        {trains && iters && !samples && GIVEN(DECAY_SAMPLES), LOOP_DECAY_SAMPLES, "12.excludes",
         "cannot be given with --train-iters", "give --lr-decay-iters"},
        {trains && iters && !samples && POSITIVE(WARMUP_SAMPLES), LOOP_WARMUP_SAMPLES,
         "12.excludes", "cannot be given with --train-iters", "give --lr-warmup-iters"},
        {trains && samples && !iters && GIVEN(DECAY_ITERS), LOOP_DECAY_ITERS, "12.excludes",
         "cannot be given with --train-samples", "give --lr-decay-samples"},
        {trains && samples && !iters && POSITIVE(WARMUP_ITERS), LOOP_WARMUP_ITERS, "12.excludes",
         "cannot be given with --train-samples", "give --lr-warmup-samples"},
        {!iters && !samples && POSITIVE(WARMUP_ITERS) && POSITIVE(WARMUP_SAMPLES),
         LOOP_WARMUP_SAMPLES, "12.excludes", "cannot be given with --lr-warmup-iters",
         "leave one out"},
        {trains && fraction && POSITIVE(WARMUP_ITERS), LOOP_WARMUP_FRACTION, "12.excludes",
         "cannot be given with --lr-warmup-iters", "leave one out"},
        {trains && fraction && POSITIVE(WARMUP_SAMPLES), LOOP_WARMUP_FRACTION, "12.excludes",
         "cannot be given with --lr-warmup-samples", "leave one out"},
    };
    APPLY(rules);
}

/* Of the same unit; the schedule lasts as long as the run where nothing else is said. */
static void check_warmup(const struct megatron_args *args)
{
    const double iters = GIVEN(DECAY_ITERS) ? VALUE(DECAY_ITERS) : VALUE(TRAIN_ITERS);
    const double samples = GIVEN(DECAY_SAMPLES) ? VALUE(DECAY_SAMPLES) : VALUE(TRAIN_SAMPLES);
    const bool fraction = GIVEN(WARMUP_FRACTION);
    const struct rule rules[] = {
        {!fraction && POSITIVE(WARMUP_ITERS) && VALUE(WARMUP_ITERS) >= iters, LOOP_WARMUP_ITERS,
         "1.value", "must be below the steps over which the rate decays", "lower it"},
        {!fraction && POSITIVE(WARMUP_SAMPLES) && VALUE(WARMUP_SAMPLES) >= samples,
         LOOP_WARMUP_SAMPLES, "1.value", "must be below the samples over which the rate decays",
         "lower it"},
        {GIVEN(MIN_LR) && VALUE(MIN_LR) > VALUE(LR), LOOP_MIN_LR, "1.value", "must be at most --lr",
         "lower it"},
        {GIVEN(WARMUP_INIT) && VALUE(WARMUP_INIT) > VALUE(LR), LOOP_WARMUP_INIT, "1.value",
         "must be at most --lr", "lower it"},
        {SAYS(DECAY_STYLE, "WSD") && !GIVEN(WSD_ITERS) && !GIVEN(WSD_SAMPLES), LOOP_DECAY_STYLE,
         "12.needs", "needs how long the rate decays at the end",
         "give --lr-wsd-decay-iters or --lr-wsd-decay-samples"},
        {SAYS(DECAY_STYLE, "WSD") && GIVEN(TRAIN_ITERS) && !GIVEN(WSD_ITERS) && GIVEN(WSD_SAMPLES),
         LOOP_WSD_SAMPLES, "12.excludes", "cannot be given with --train-iters",
         "give --lr-wsd-decay-iters"},
        {SAYS(DECAY_STYLE, "WSD") && GIVEN(TRAIN_SAMPLES) && GIVEN(WSD_ITERS) &&
             !GIVEN(WSD_SAMPLES),
         LOOP_WSD_ITERS, "12.excludes", "cannot be given with --train-samples",
         "give --lr-wsd-decay-samples"},
        {GIVEN(OVERRIDES_SCHEDULE) && GIVEN(KEEPS_SCHEDULE), LOOP_OVERRIDES_SCHEDULE, "12.excludes",
         "cannot be given with --use-checkpoint-opt_param-scheduler", "leave one out"},
    };
    APPLY(rules);
}

static void check_weight_decay(const struct megatron_args *args)
{
    const bool increases = GIVEN(DECAY_INCREASES) && !SAYS(DECAY_INCREASES, "constant");
    const bool ends = GIVEN(DECAY_START) || GIVEN(DECAY_END);
    const bool known = !GIVEN(DECAY_INCREASES) || args->loop[LOOP_DECAY_INCREASES].text;
    const int end = GIVEN(DECAY_START) ? LOOP_DECAY_START : LOOP_DECAY_END;
    const struct rule rules[] = {
        {known && !increases && ends, end, "12.excludes",
         "cannot be given where weight decay stays constant",
         "leave it out, or give --weight-decay-incr-style linear"},
        {known && increases && !(GIVEN(DECAY_START) && GIVEN(DECAY_END)), LOOP_DECAY_INCREASES,
         "12.needs", "needs the weight decay of the first and the last step",
         "give --start-weight-decay and --end-weight-decay"},
        {increases && VALUE(DECAY_END) < VALUE(DECAY_START), LOOP_DECAY_END, "1.value",
         "must be at least --start-weight-decay", "raise it"},
    };
    APPLY(rules);
}

static bool divides(double part, double whole)
{
    return !(part > 0) || !(whole > 0) || fmod(whole, part) == 0;
}

static void check_files(const struct megatron_args *args)
{
    const double logs = GIVEN(LOG_INTERVAL) ? VALUE(LOG_INTERVAL) : 100;
    const int data = GIVEN(MOCK_DATA) + (GIVEN(DATA) || GIVEN(DATA_LIST)) + GIVEN(TRAIN_DATA);
    const bool local = SAYS(PASSING_KIND, "local");
    const struct rule rules[] = {
        {GIVEN(SAVE) && !GIVEN(SAVE_INTERVAL) && !GIVEN(SAVE_PERSISTENT), LOOP_SAVE, "12.needs",
         "needs an interval", "give --save-interval"},
        {GIVEN(SAVE_RETAIN) && !divides(VALUE(SAVE_INTERVAL), VALUE(SAVE_RETAIN)), LOOP_SAVE_RETAIN,
         "3.divide", "is not a multiple of --save-interval", "correct one of them"},
        {GIVEN(LOG_MEMORY) && !divides(logs, VALUE(LOG_MEMORY)), LOOP_LOG_MEMORY, "3.divide",
         "is not a multiple of --log-interval (100 unless given)", "correct one of them"},
        {data > 1, GIVEN(MOCK_DATA) ? LOOP_MOCK_DATA : LOOP_TRAIN_DATA, "12.excludes",
         "is one of several sources of data", "keep one of them"},
        {local && !GIVEN(PASSING_FOLDER), LOOP_PASSING_KIND, "12.needs", "local needs a folder",
         "give --non-persistent-local-ckpt-dir"},
        {GIVEN(REPLICATION) && !GIVEN(REPLICATION_JUMP), LOOP_REPLICATION, "12.needs",
         "needs --replication-jump", "give it"},
        {GIVEN(REPLICATION) && !local, LOOP_REPLICATION, "12.needs",
         "needs --non-persistent-ckpt-type local", "give it"},
        {GIVEN(CONVERT_FORMAT) && !(GIVEN(CONVERT_SAVE) && GIVEN(LOAD)), LOOP_CONVERT_FORMAT,
         "12.needs", "needs where a checkpoint is read and written",
         "give --load and --ckpt-convert-save"},
        {GIVEN(UPCYCLING) && !GIVEN(SAVE), LOOP_UPCYCLING, "12.needs", "needs --save", "give it"},
    };
    APPLY(rules);
}

static void check_precision(const struct check *c)
{
    const struct megatron_args *args = c->args;
    const bool half = HAS(FP16) || HAS(BF16);
    const bool follows = HAS(FP16) && !(VALUE(LOSS_SCALE) > 0);
    const bool drops =
        HAS(CAPACITY_FACTOR) && megatron_number(args, FLAG(CAPACITY_FACTOR), -1) >= 0;
    const struct rule rules[] = {
        {GIVEN(FP16_LOSS) && !HAS(FP16), LOOP_FP16_LOSS, "12.needs", "needs --fp16",
         "leave it out"},
        {GIVEN(FP32_RESIDUAL) && !half, LOOP_FP32_RESIDUAL, "12.needs", "needs --fp16 or --bf16",
         "leave it out"},
        {follows && VALUE(LEAST_SCALE) > (GIVEN(FIRST_SCALE) ? VALUE(FIRST_SCALE) : 4294967296.0),
         LOOP_LEAST_SCALE, "1.value", "must be at most --initial-loss-scale", "lower it"},
        {GIVEN(GATHERS_LATE) && !(HAS(DIST_OPT) && HAS(PARAM_OVERLAP) && c->p->chunks > 1),
         LOOP_GATHERS_LATE, "12.needs", "needs a sharded optimizer, its overlap and virtual stages",
         "give --use-distributed-optimizer, --overlap-param-gather and virtual stages"},
        {GIVEN(LOADS_MAIN) && !GIVEN(LOADS_NO_OPTIMIZER), LOOP_LOADS_MAIN, "12.needs",
         "needs --no-load-optim", "give it"},
        {drops && SAYS(BALANCING, "sinkhorn"), LOOP_BALANCING, "12.excludes",
         "cannot be given with --moe-expert-capacity-factor", "give aux_loss or none"},
    };
    APPLY(rules);
}

static void check_shape(const struct check *c)
{
    const struct megatron_args *args = c->args;
    const uint64_t heads = COUNT(NUM_ATTENTION_HEADS, 0), hidden = COUNT(HIDDEN_SIZE, 0);
    const uint64_t chosen = COUNT(TOPK, 1);
    if (HAS(SEQ_LENGTH) && HAS(ENCODER_SEQ_LENGTH))
        megatron_refuse(args, "12.excludes", FLAG(ENCODER_SEQ_LENGTH),
                        "cannot be given with --seq-length");
    if (HAS(NUM_LAYERS) && HAS(ENCODER_NUM_LAYERS))
        megatron_refuse(args, "12.excludes", FLAG(ENCODER_NUM_LAYERS),
                        "cannot be given with --num-layers");
    if (heads && !HAS(KV_CHANNELS) && !HAS(MLA) && hidden % heads)
        megatron_refuse(args, "4.heads", FLAG(NUM_ATTENTION_HEADS),
                        "does not divide --hidden-size %" PRIu64 ", and --kv-channels is not given",
                        hidden);
    if (megatron_is(args, FLAG(POSITION_TYPE), "mrope") && !GIVEN(SECTIONS))
        megatron_refuse(args, "12.needs", FLAG(POSITION_TYPE), "mrope needs --mrope-section");
    if (c->m->experts && chosen > c->m->experts)
        megatron_refuse(args, "1.value", FLAG(TOPK), "must be at most the %" PRIu64 " experts",
                        c->m->experts);
}

/* ---- a batch that grows: START INCREMENT SAMPLES ---- */

/* False: it is none, and said to be. */
static bool read_rampup(const struct megatron_args *args, uint64_t number[3])
{
    const struct megatron_value *value = &args->value[FLAG(RAMPUP)];
    for (int i = 0; i < value->words && i < 3; i++) {
        char *end;
        const char *text = value->word[i].text;
        number[i] = strtoull(text, &end, 10);
        if (!isdigit((unsigned char)*text) || *end) {
            megatron_refuse(args, "1.value", FLAG(RAMPUP), "must be whole numbers");
            return false;
        }
    }
    if (value->words == 3) return true;
    megatron_refuse(args, "1.value", FLAG(RAMPUP),
                    "takes three numbers: the first batch, its increment, and the samples in "
                    "which it grows");
    return false;
}

static void check_rampup(const struct check *c)
{
    const struct megatron_args *args = c->args;
    uint64_t number[3] = {0};
    if (!HAS(RAMPUP)) return;
    if (GIVEN(TRAIN_ITERS) && !GIVEN(TRAIN_SAMPLES))
        megatron_refuse(args, "12.excludes", FLAG(RAMPUP),
                        "cannot be given with --train-iters: give --train-samples");
    if (!read_rampup(args, number)) return;
    const uint64_t start = number[0], increment = number[1], batch = c->p->batch;
    const uint64_t copies = rk_plan_data(c->p) * c->p->microbatch;
    if (!start || !increment)
        megatron_refuse(args, "1.value", FLAG(RAMPUP), "batch and increment must be above 0");
    else if (start >= batch)
        megatron_refuse(args, "1.value", FLAG(RAMPUP), "must begin below the batch of %" PRIu64,
                        batch);
    else if ((batch - start) % increment)
        megatron_refuse(args, "3.divide", FLAG(RAMPUP),
                        "the increment %" PRIu64 " does not divide the %" PRIu64
                        " samples from the first batch to the last",
                        increment, batch - start);
    else if (copies && !GIVEN(SHRINKS_BATCH) && (start % copies || increment % copies))
        megatron_refuse(args, "3.divide", FLAG(RAMPUP),
                        "first batch and increment must be multiples of data parallelism * "
                        "microbatch = %" PRIu64,
                        copies);
}

void megatron_check_loop(const struct megatron_args *args, const struct rk_model *model,
                         const struct rk_plan *plan)
{
    const struct check c = {args, model, plan};
    if (!args->options->collect || args->foreign) return;
    check_ranges(args);
    check_dropout(args);
    check_length(args);
    check_warmup(args);
    check_weight_decay(args);
    check_files(args);
    check_precision(&c);
    check_shape(&c);
    check_rampup(&c);
}
