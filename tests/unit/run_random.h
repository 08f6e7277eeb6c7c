/* run_random.h - random plans of everything that the executor trains under, for small models
 * (run_cases.h) of four layers, on up to 64 ranks.
 */
#ifndef TESTS_RUN_RANDOM_H
#define TESTS_RUN_RANDOM_H

#include "drawn.h"
#include "run_cases.h"

#include <stdarg.h>

static uint64_t run_random_state;

static inline unsigned below(unsigned n)
{
    run_random_state = run_random_state * UINT64_C(6364136223846793005) + 1442695040888963407u;
    return (unsigned)(run_random_state >> 33) % n;
}

struct run_line {
    char *text;
    size_t size, at;
};

static inline void run_say(struct run_line *l, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    if (l->at < l->size) l->at += (size_t)vsnprintf(l->text + l->at, l->size - l->at, format, args);
    va_end(args);
}

#define RUN_PICK(of) (of)[below(sizeof(of) / sizeof *(of))]

/* ---- parts of a line ---- */

/* Of each schedule, whether weight gradients are apart. */
static inline unsigned run_say_pipeline(struct run_line *l, unsigned stages)
{
    static const char *const schedules[] = {"",        "", "gpipe", "zero-bubble", "zero-bubble-2p",
                                            "dualpipe"};
    static const char *const uneven[] = {"split=1,3", "split=3,1", "first-layers1", "last-layers1"};
    if (stages == 1) return 1 + below(3);
    run_say(l, " pp%u", stages);
    if (stages == 2 && below(4) == 0) { /* interleaved */
        static const char *const orders[] = {"", " schedule=v-zero", " schedule=v-half",
                                             " schedule=v-min"};
        run_say(l, " vpp2%s", RUN_PICK(orders));
        return 4;
    }
    const char *schedule = RUN_PICK(schedules);
    if (*schedule) run_say(l, " schedule=%s", schedule);
    if (stages == 2 && strcmp(schedule, "dualpipe") && below(3) == 0)
        run_say(l, " %s", RUN_PICK(uneven));
    return 2 * stages;
}

static inline void run_say_context(struct run_line *l, unsigned context)
{
    static const char *const kinds[] = {"",
                                        " cp-contiguous",
                                        " cp-kind=gather",
                                        " cp-kind=gather cp-contiguous",
                                        " cp-kind=ulysses",
                                        " cp-kind=ring+ulysses ulysses2"};
    if (context > 1) run_say(l, " cp%u%s", context, RUN_PICK(kinds));
}

static inline void run_say_zero(struct run_line *l, unsigned copies)
{
    const bool muon = below(6) == 0; /* which deals whole matrices to ranks */
    const unsigned zero = below(muon ? 2 : 4);
    if (muon) run_say(l, " optimizer=muon");
    if (zero) run_say(l, " zero%u", zero);
    if (zero == 1 && below(3) == 0) run_say(l, " whole-grads");
    if (zero == 3 && below(3) == 0) run_say(l, " keep-gathered");
    if (zero && copies > 2 && below(3) == 0) run_say(l, " shard2");
    if (copies == 1 || below(2)) return; /* what the checker asks of one, it asks of the other */
    run_say(l, zero && below(2) ? " grad-overlap weight-overlap" : " grad-overlap");
}

/* Any of the parts; those that the model does not have change nothing. */
static inline void run_say_parts(struct run_line *l)
{
#define PART(part, name, what) name,
    static const char *const parts[] = {RK_NAMES_part(PART)};
#undef PART
    const unsigned count = sizeof parts / sizeof *parts;
    const unsigned any = 1 + below((1u << count) - 1);
    const char *between = " recompute=selective recompute-parts=";
    for (unsigned i = 0; i < count; i++) {
        if (!(any >> i & 1)) continue;
        run_say(l, "%s%s", between, parts[i]);
        between = "+";
    }
}

static inline void run_say_memory(struct run_line *l)
{
    static const char *const again[] = {"",
                                        "",
                                        " recompute=full",
                                        " recompute=full recompute-layers1",
                                        " recompute=full recompute-stride2",
                                        " recompute=full recompute-every2",
                                        " recompute=full checkpoint-sharded",
                                        " recompute=selective"};
    static const char *const by_token[] = {"", " offload-activations=0.4",
                                           " offload-activations=0.3+1.4"};
    static const char *const away[] = {"",
                                       "",
                                       " offload-activations=1",
                                       " offload-activations=0.3+1.4",
                                       " offload-optimizer=0.5+1.25",
                                       " offload-weights=0.6",
                                       " offload-weights=1 offload-optimizer=1",
                                       " offload-activations=2 offload-optimizer=1"};
    if (below(6) == 0) {
        run_say(l, " recompute-rest%s", RUN_PICK(by_token));
        return;
    }
    if (below(3) == 0)
        run_say_parts(l);
    else
        run_say(l, "%s", RUN_PICK(again));
    run_say(l, "%s", RUN_PICK(away));
    if (below(6) == 0) run_say(l, " loss-in-chunks");
}

static inline void run_say_experts(struct run_line *l, unsigned tensor, unsigned others)
{
    const unsigned e = 1u << below(3);
    static const char *const dispatchers[] = {"", "", " dispatcher=allgather",
                                              " dispatcher=deepep"};
    static const char *const capacities[] = {"", "", " capacity=1", " capacity=1.3",
                                             " capacity=0.6 capacity-padded"};
    if (tensor * others % e) return; /* without etp an expert is cut as the rest */
    run_say(l, below(2) ? " ep%u etp1" : " ep%u", e);
    run_say(l, "%s%s", RUN_PICK(dispatchers), RUN_PICK(capacities));
    if (below(3) == 0) run_say(l, " ep-overlap");
}

/* ---- whole lines ---- */

/* All layers alike. */
static inline void run_random_plan(const struct rk_model *model, char *text, size_t size)
{
    static const char *const orders[] = {"", "", " order=tp-cp-pp-dp", " order=dp-pp-cp-tp",
                                         " order=pp-tp-dp-cp"};
    const unsigned t = 1u << below(3), c = 1u << below(3), p = 1u << below(3), d = 1u << below(2);
    const unsigned mbs = 1 + below(2);
    struct run_line l = {text, size, 0};
    run_say(&l, "tp%u dp%u mbs%u", t, d, mbs);
    const unsigned microbatches = run_say_pipeline(&l, p);
    run_say(&l, " gbs%u", mbs * microbatches * d);
    if (t > 1 && below(2)) run_say(&l, below(2) ? " sp tp-overlap" : " sp");
    if (t > 1 && p > 1 && below(3) == 0) run_say(&l, " messages-sharded");
    if (t > 1 && below(4) == 0) run_say(&l, " whole-logits");
    if (below(6) == 0) run_say(&l, " full-attention");
    if (below(6) == 0) run_say(&l, " attention=unfused");
    run_say_context(&l, c);
    run_say_zero(&l, c * d);
    run_say_memory(&l);
    if (model->experts) run_say_experts(&l, t, c * d);
    run_say(&l, "%s", RUN_PICK(orders));
}

/* Runs of layers that lie differently. The plan's own layers are whole on each of four data ranks,
 * so that any others are possible. */
static inline void run_random_layers(const struct rk_model *model, char *text, size_t size)
{
    static const char *const layouts[] = {
        "",         "/tp2",   "/tp2/sp", "/tp4",   "/cp2",       "/cp4/cp-kind=gather",
        "/tp2/cp2", "/zero1", "/zero2",  "/zero3", "/tp2/zero3", "/cp2/cp-kind=ulysses"};
    static const char *const experts[] = {"/ep2", "/ep4", "/ep2/dispatcher=allgather",
                                          "/ep2/dispatcher=deepep"};
    static const char *const memory[] = {"",
                                         "",
                                         "/recompute=full",
                                         "/recompute=selective",
                                         "/offload-activations=1",
                                         "/offload-optimizer=1"};
    static const char *const schedules[] = {"", "", " schedule=gpipe", " schedule=zero-bubble"};
    const unsigned stages = 1 + below(2);
    struct run_line l = {text, size, 0};
    run_say(&l, "pp%u dp4 mbs1 gbs%u%s stages=", stages, 8 * stages,
            stages > 1 ? RUN_PICK(schedules) : "");
    for (unsigned s = 0; s < stages; s++)
        for (unsigned left = (unsigned)model->layers / stages; left > 0;) {
            const unsigned layers = 1 + below(left);
            run_say(&l, "%u%s%s%s", layers, RUN_PICK(layouts),
                    model->experts && below(2) ? RUN_PICK(experts) : "", RUN_PICK(memory));
            left -= layers;
            if (left || s + 1 < stages) run_say(&l, left ? "~" : ",");
        }
}

/* ---- against one rank ---- */

enum { RUN_STEPS = 3 };

/* Every other layer is block-sparse, as mGPT has it. */
static inline bool run_may_be_sparse(const struct rk_model *model)
{
    return !model->window && !model->kv_rank;
}

static inline void run_sparse(struct rk_train *train, unsigned block)
{
    train->block_tokens = block;
    train->block_local = 4;
    train->block_global = 1 + below(2);
    train->block_patterns = 1 + below(2);
}

/* What the same batch brings on one rank. False: the checker does not allow the plan. */
static inline bool run_equals_one_rank(const struct rk_model *model, const char *words,
                                       const struct rk_train *train, const char *label)
{
    struct run_trace many, one;
    struct rk_error error;
    struct rk_plan plan;
    char alone[96];
    const char *sparse = train->block_tokens ? ", sparse" : "";
    const enum rk_status status = run_plan(model, words, train, &many, &error);
    const bool refused = status == RK_UNSUPPORTED || status == RK_NOTHING_FITS;
    const bool ran = !refused || many.steps > 0;
    if (getenv("RECKON_SHOW"))
        fprintf(stderr, "%s: %s%s: %s: %s\n", label, model->id, sparse, words,
                status == RK_OK ? "ran" : error.text);
    if (!ran) return false;
    cr_assert_eq(status, RK_OK, "%s: %s%s, %s: %s", label, model->id, sparse, words, error.text);
    cr_assert_eq(rk_plan_parse(words, &plan, &error), RK_OK);
    snprintf(alone, sizeof alone, "mbs1 gbs%d capacity=%g%s", (int)plan.batch, plan.capacity_factor,
             plan.optimizer == RK_MUON ? " optimizer=muon" : "");
    cr_assert_eq(run_plan(model, alone, train, &one, &error), RK_OK, "%s", error.text);
    for (int i = 0; i < RUN_STEPS; i++)
        cr_expect(
            off(many.loss[i], one.loss[i]) < 1e-11 && off(many.norm[i], one.norm[i]) < 1e-11 &&
                fabs(many.balance[i] - one.balance[i]) < 1e-11 * one.balance[i] + 1e-300 &&
                fabs(many.ahead[i] - one.ahead[i]) <= 1e-11 * one.ahead[i],
            "%s: %s%s, %s, step %d: loss %.17g for %.17g, norm %.17g for %.17g", label, model->id,
            sparse, words, i, many.loss[i], one.loss[i], many.norm[i], one.norm[i]);
    return true;
}

/* RECKON_SHOW=1 prints them. */
static inline void run_random(unsigned preset)
{
    const struct drawn cases = drawn_cases(preset, 20 * preset);
    const uint64_t count = cases.end - cases.first;
    uint64_t ran = 0;
    for (uint64_t n = cases.first; n < cases.end; n++) {
        char line[512], label[32];
        run_random_state = n * 7919;
        struct rk_train train = run_settings(RUN_STEPS);
        const struct rk_model model = run_model((int)below(RUN_MODELS));
        if (run_may_be_sparse(&model) && below(3) == 0) run_sparse(&train, 4);
        if (model.experts && below(2)) train.balance = 0.05;
        if (below(5) == 0)
            run_random_layers(&model, line, sizeof line);
        else
            run_random_plan(&model, line, sizeof line);
        snprintf(label, sizeof label, "seed %d", (int)n);
        ran += run_equals_one_rank(&model, line, &train, label);
    }
    if (getenv("RECKON_SHOW")) fprintf(stderr, "%d of %d plans ran\n", (int)ran, (int)count);
    cr_expect(drawn_enough(ran * 3 >= count), "%d of %d plans ran", (int)ran, (int)count);
}

#endif
