/* galvatron.c - strategy files of Galvatron: what its own reader asks for, and the rules for each
 * kind of layer that the file has. Keys, values and what follows from them: docs/check.md. */
#include "base/limits.h"
#include "base/memory.h"
#include "base/text.h"
#include "catalog/plan_fields.h"
#include "check/findings.h"
#include "check/sources.h"
#include "plan/members.h"
#include "text/settings.h"

#include <errno.h>
#include <inttypes.h>
#include <reckon/predict.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum galvatron_key {
    PP_DEG,
    TP_SIZES,
    TP_CONSECUTIVE,
    DP_TYPES,
    WORLD_SIZE,
    GLOBAL_BSZ,
    CHUNKS,
    PP_DIVISION,
    CHECKPOINT,
    USE_SP,
    PIPELINE_TYPE,
    DEFAULT_DP_TYPE,
    VTP,
    VSP,
    VOCAB_SDP,
    GALVATRON_KEYS
};

/* clang-format off */
static const struct {
    const char *name;
    bool required, list;
    uint64_t least, most;
    const char *words; /* instead of a number */
    uint64_t preset;
} keys[GALVATRON_KEYS] = {
    /*                   name                 required list   least most      words */
    [PP_DEG]          = {"pp_deg",               true,  false, 1,  1u << 24, NULL, 1},
    [TP_SIZES]        = {"tp_sizes_enc",         true,  true,  1,  1u << 24, NULL, 1},
    [TP_CONSECUTIVE]  = {"tp_consecutive_flags", true,  true,  0,  1,        NULL, 1},
    [DP_TYPES]        = {"dp_types_enc",         true,  true,  0,  1,        NULL, 0},
    [WORLD_SIZE]      = {"world_size",           true,  false, 1,  1u << 24, NULL, 1},
    [GLOBAL_BSZ]      = {"global_bsz",           true,  false, 1,  1u << 30, NULL, 1},
    [CHUNKS]          = {"chunks",               true,  false, 1,  1u << 24, NULL, 1},
    [PP_DIVISION]     = {"pp_division",          true,  true,  0,  MOST_LAYERS, NULL, 0},
    [CHECKPOINT]      = {"checkpoint",           false, true,  0,  1,        NULL, 0},
    [USE_SP]          = {"use_sp",               false, true,  0,  1,        NULL, 0},
    [PIPELINE_TYPE]   = {"pipeline_type",        false, false, 0,  0,        "gpipe|pipedream_flush", 0},
    [DEFAULT_DP_TYPE] = {"default_dp_type",      false, false, 0,  0,        "ddp|zero2|zero3", 0},
    [VTP]             = {"vtp",                  false, false, 1,  1u << 24, NULL, 1},
    [VSP]             = {"vsp",                  false, false, 0,  1,        NULL, 0},
    [VOCAB_SDP]       = {"vocab_sdp",            false, false, 0,  1,        NULL, 0},
};
/* clang-format on */

/* What the file says: of each key its numbers, one unless it is a list. */
struct file {
    const struct setting *setting[GALVATRON_KEYS];
    int count[GALVATRON_KEYS];
    uint32_t *value[GALVATRON_KEYS]; /* (MOST_LAYERS) */
    uint64_t layers;
};

static struct rk_finding *blame(struct rk_findings *findings, const char *rule,
                                const struct setting *at, enum galvatron_key key, const char *need,
                                const char *fix)
{
    struct rk_finding *f = findings_add(findings, rule);
    if (at) f->line = at->line;
    if (at) f->column = at->column;
    snprintf(f->what, sizeof f->what, "%s", keys[key].name);
    snprintf(f->need, sizeof f->need, "%s", need);
    snprintf(f->fix, sizeof f->fix, "%s", fix);
    return f;
}

/* ---- rule 1 ---- */

static void judge_unknown(const struct settings *settings, struct rk_findings *findings)
{
    for (size_t i = 0; i < settings->count; i++) {
        const struct setting *s = &settings->setting[i];
        int key = 0;
        while (key < GALVATRON_KEYS && strcmp(keys[key].name, s->key) != 0)
            key++;
        if (key < GALVATRON_KEYS) continue;
        struct rk_finding *f = findings_add(findings, "1.unknown");
        const bool embedding = strcmp(s->key, "embed_sdp") == 0;
        f->line = s->line;
        f->column = s->column;
        snprintf(f->what, sizeof f->what, "%.60s", s->key);
        snprintf(f->need, sizeof f->need, "is not known%s",
                 embedding ? ": the search writes it, the run reads vocab_sdp" : "");
        snprintf(f->fix, sizeof f->fix, "%s", embedding ? "rename it to vocab_sdp" : "correct it");
    }
}

static bool read_number(const char **at, uint64_t least, uint64_t most, uint32_t *value)
{
    char *end;
    if (**at < '0' || **at > '9') return false;
    errno = 0;
    const unsigned long long number = strtoull(*at, &end, 10);
    *at = end;
    *value = (uint32_t)number;
    return !errno && number >= least && number <= most;
}

static bool read_values(struct file *file, enum galvatron_key key, const char *text)
{
    uint32_t *value = file->value[key];
    int n = 0;
    if (keys[key].words) {
        const int index = *text ? text_word(keys[key].words, text, strlen(text), false) : -1;
        if (index >= 0) value[n++] = (uint32_t)index;
        file->count[key] = n;
        return index >= 0;
    }
    for (const char *at = text;; at++) {
        if (n == MOST_LAYERS || !read_number(&at, keys[key].least, keys[key].most, &value[n]))
            return false;
        file->count[key] = ++n;
        if (!*at) return true;
        if (*at != ',' || !keys[key].list) return false;
    }
}

static void judge_values(const struct settings *settings, struct file *file,
                         struct rk_findings *findings)
{
    char need[160];
    for (int key = 0; key < GALVATRON_KEYS; key++) {
        const struct setting *s = settings_find(settings, keys[key].name);
        file->setting[key] = s;
        file->count[key] = 0;
        if (!s && keys[key].required)
            blame(findings, "1.missing", NULL, (enum galvatron_key)key, "is missing", "give it");
        if (!s || read_values(file, (enum galvatron_key)key, s->text)) continue;
        if (keys[key].words)
            snprintf(need, sizeof need, "must be one of %s", keys[key].words);
        else
            snprintf(need, sizeof need, "must be %s from %" PRIu64 " to %" PRIu64,
                     keys[key].list ? "a list of numbers" : "a number", keys[key].least,
                     keys[key].most);
        struct rk_finding *f = blame(findings, "1.value", s, (enum galvatron_key)key, need, "");
        snprintf(f->have, sizeof f->have, "%.40s", s->text);
    }
}

/* A value of layer i, or of the file. */
static uint64_t value_at(const struct file *file, enum galvatron_key key, uint64_t i)
{
    if (!file->count[key]) return keys[key].preset;
    return file->value[key][keys[key].list ? i : 0];
}

static uint64_t value_of(const struct file *file, enum galvatron_key key)
{
    return value_at(file, key, 0);
}

/* ---- rules 2 and 3 ---- */

static bool judge_lists(const struct file *file, struct rk_findings *findings)
{
    bool good = true;
    char need[160];
    for (int key = 0; key < GALVATRON_KEYS; key++) {
        if (!keys[key].list || !file->count[key]) continue;
        const uint64_t want = key == PP_DIVISION ? value_of(file, PP_DEG) : file->layers;
        if ((uint64_t)file->count[key] == want) continue;
        snprintf(need, sizeof need, "has %d entries, there are %" PRIu64 " %s", file->count[key],
                 want, key == PP_DIVISION ? "stages" : "layers");
        blame(findings, "2.lists", file->setting[key], (enum galvatron_key)key, need,
              "give one for each");
        good = false;
    }
    return good;
}

static void judge_stages(const struct file *file, struct rk_findings *findings)
{
    uint64_t sum = 0;
    char need[160];
    for (int i = 0; i < file->count[PP_DIVISION]; i++) {
        const uint32_t layers = file->value[PP_DIVISION][i];
        sum += layers;
        if (layers || findings_have(findings, "2.stages")) continue;
        snprintf(need, sizeof need, "stage %d has no layers", i);
        blame(findings, "2.stages", file->setting[PP_DIVISION], PP_DIVISION, need,
              "give each at least one");
    }
    if (sum == file->layers) return;
    snprintf(need, sizeof need, "%" PRIu64 " of %" PRIu64 " layers are on a stage", sum,
             file->layers);
    blame(findings, "6.layers", file->setting[PP_DIVISION], PP_DIVISION, need, "deal all of them");
}

static uint64_t data_at(const struct file *file, uint64_t layer)
{
    const uint64_t inner = value_of(file, PP_DEG) * value_at(file, TP_SIZES, layer);
    return value_of(file, WORLD_SIZE) % inner ? 0 : value_of(file, WORLD_SIZE) / inner;
}

static bool judge_ranks(const struct file *file, uint64_t gpus, struct rk_findings *findings)
{
    char need[160];
    const uint64_t world = value_of(file, WORLD_SIZE), stage = value_of(file, PP_DEG);
    if (gpus && gpus != world) {
        snprintf(need, sizeof need, "%" PRIu64 " ranks are launched, the file is for %" PRIu64,
                 gpus, world);
        blame(findings, "2.product", file->setting[WORLD_SIZE], WORLD_SIZE, need,
              "search again for these");
    }
    for (uint64_t i = 0; i < file->layers; i++) {
        if (data_at(file, i)) continue;
        snprintf(need, sizeof need,
                 "layer %" PRIu64 ": stages %" PRIu64 " * tensor %" PRIu64 " do not divide %" PRIu64
                 " ranks",
                 i, stage, value_at(file, TP_SIZES, i), world);
        blame(findings, "2.product", file->setting[TP_SIZES], TP_SIZES, need, "use a divisor");
        return false;
    }
    if (world % (stage * value_of(file, VTP))) {
        blame(findings, "2.product", file->setting[VTP], VTP,
              "stages * tensor ranks of the vocabulary do not divide the ranks", "use a divisor");
        return false;
    }
    return true;
}

static void judge_batch(const struct file *file, struct rk_findings *findings)
{
    const uint64_t m = value_of(file, CHUNKS), batch = value_of(file, GLOBAL_BSZ);
    char need[160];
    for (uint64_t i = 0; i < file->layers; i++) {
        const uint64_t d = data_at(file, i);
        if (batch % (d * m) == 0) continue;
        snprintf(need, sizeof need,
                 "layer %" PRIu64 ": %" PRIu64 " copies * %" PRIu64
                 " chunks do not divide %" PRIu64,
                 i, d, m, batch);
        blame(findings, "3.divide", file->setting[GLOBAL_BSZ], GLOBAL_BSZ, need,
              "use a multiple, or fewer chunks");
        break;
    }
    if (m >= value_of(file, PP_DEG)) return;
    snprintf(need, sizeof need, "%" PRIu64 " microbatches for %" PRIu64 " stages", m,
             value_of(file, PP_DEG));
    blame(findings, "3.fill", file->setting[CHUNKS], CHUNKS, need,
          "use at least one chunk per stage");
}

/* ---- the layers, kind by kind ---- */

static bool alike(const struct file *file, uint64_t a, uint64_t b)
{
    static const enum galvatron_key of_layers[] = {TP_SIZES, DP_TYPES, CHECKPOINT, USE_SP};
    for (size_t i = 0; i < sizeof of_layers / sizeof *of_layers; i++)
        if (value_at(file, of_layers[i], a) != value_at(file, of_layers[i], b)) return false;
    return true;
}

/* The plan in which all layers are as this one. */
static struct rk_plan plan_of(const struct file *file, uint64_t layer)
{
    struct rk_plan plan = plan_of_framework(RK_FSDP);
    const bool ulysses = value_at(file, USE_SP, layer);
    const uint64_t t = value_at(file, TP_SIZES, layer), m = value_of(file, CHUNKS);
    plan.ranks = value_of(file, WORLD_SIZE);
    plan.pipeline = value_of(file, PP_DEG);
    plan.tensor = ulysses ? 1 : t;
    plan.context = ulysses ? t : 1;
    plan.context_kind = ulysses ? RK_ULYSSES : RK_RING;
    plan.sequence_parallel = plan.tensor > 1;
    plan.batch = value_of(file, GLOBAL_BSZ);
    plan.microbatch = plan.batch / (m * data_at(file, layer));
    plan.schedule = value_of(file, PIPELINE_TYPE) ? RK_1F1B : RK_GPIPE;
    plan.zero = value_at(file, DP_TYPES, layer)   ? 3
                : value_of(file, DEFAULT_DP_TYPE) ? (int)value_of(file, DEFAULT_DP_TYPE) + 1
                                                  : 0;
    plan.recompute = value_at(file, CHECKPOINT, layer) ? RK_WHOLE : RK_KEEP;
    struct rk_layout layout = {.splits = 0};
    if (plan.pipeline <= RK_MAX_STAGES)
        for (; (uint64_t)layout.splits < plan.pipeline; layout.splits++)
            layout.split[layout.splits] = (uint16_t)file->value[PP_DIVISION][layout.splits];
    plan.layout = rk_layout_keep(&layout);
    return plan;
}

static void place(const void *context, struct rk_finding *finding)
{
    const struct file *file = context;
    const bool of_stages = strcmp(finding->what, "pipeline") == 0;
    const enum galvatron_key key = of_stages ? PP_DEG : TP_SIZES;
    if (!file->setting[key]) return;
    finding->line = file->setting[key]->line;
    finding->column = file->setting[key]->column;
    snprintf(finding->what, sizeof finding->what, "%s", keys[key].name);
}

/* The rules of shapes and domains; those of memory are about all layers of a stage together. */
static void judge_kinds(const struct rk_check_input *input, const struct file *file,
                        struct rk_findings *findings)
{
    struct rk_findings *of_layer = calloc(1, sizeof *of_layer);
    for (uint64_t i = 0; of_layer && i < file->layers; i++) {
        uint64_t first = 0;
        while (!alike(file, first, i))
            first++;
        if (first < i) continue;
        struct rk_plan plan = plan_of(file, i);
        if (input->system) plan_attend_on(&plan, input->system);
        struct rk_launch launch = input->launch;
        launch.pads = true;
        of_layer->count = 0;
        judge_plan(input, input->model, &plan, &launch, place, file, of_layer);
        int kept = 0;
        for (int k = 0; k < of_layer->count; k++) {
            const struct rk_finding *f = &of_layer->finding[k];
            const bool context = !strncmp(f->rule, "4.context", 9) || !strncmp(f->rule, "9.c", 3);
            if ((*f->rule == '4' || *f->rule == '9') && !context) of_layer->finding[kept++] = *f;
        }
        findings_merge(findings, of_layer->finding, kept);
    }
    free(of_layer);
}

/* States of each stage: those of its layers, each as in a plan of nothing else. */
static void judge_memory(const struct rk_check_input *input, const struct file *file,
                         struct rk_findings *findings)
{
    const uint64_t stages = value_of(file, PP_DEG);
    struct rk_prediction *p = malloc(sizeof *p);
    double *states = calloc(stages, sizeof *states);
    bool known = p && states;
    for (uint64_t i = 0; known && i < file->layers; i++) {
        uint64_t first = 0;
        while (!alike(file, first, i))
            first++;
        if (first < i) continue;
        const struct rk_plan plan = plan_of(file, i);
        const enum rk_verdict verdict = rk_predict(input->model, input->system, &plan, p);
        known = verdict == RK_FITS || verdict == RK_MEMORY_EXCEEDED;
        uint64_t layer = 0;
        for (uint64_t s = 0; known && s < stages; s++) {
            const uint64_t all = file->value[PP_DIVISION][s];
            uint64_t so = 0;
            for (uint64_t end = layer + all; layer < end; layer++)
                so += alike(file, i, layer);
            const struct rk_stage *stage = &p->stage[s];
            states[s] += (stage->holds[RK_HOLD_weights] + stage->holds[RK_HOLD_gradients] +
                          stage->holds[RK_HOLD_optimizer]) *
                         (double)so / (double)all;
        }
    }
    for (uint64_t s = 0; known && s < stages; s++) {
        if (states[s] <= input->system->memory[0].capacity_bytes) continue;
        struct rk_finding *f =
            blame(findings, "5.states", file->setting[DP_TYPES], DP_TYPES,
                  "weights, gradients and optimizer do not fit", "shard or split more");
        snprintf(f->have, sizeof f->have, "stage %" PRIu64 ": %.1f of %.1f GiB", s,
                 states[s] / 0x1p30, input->system->memory[0].capacity_bytes / 0x1p30);
        break;
    }
    free(states);
    free(p);
}

/* ---- the file ---- */

static void judge(const struct rk_check_input *input, const struct settings *settings,
                  struct file *file, struct rk_findings *findings)
{
    judge_unknown(settings, findings);
    judge_values(settings, file, findings);
    if (rk_findings_errors(findings)) return;
    file->layers = input->model ? input->model->layers : (uint64_t)file->count[TP_SIZES];
    const bool lists = judge_lists(file, findings);
    if (!lists || file->layers > MOST_LAYERS) return;
    judge_stages(file, findings);
    if (!judge_ranks(file, input->gpus, findings)) return;
    judge_batch(file, findings);
    if (!input->model || findings_have(findings, "3.divide") ||
        findings_have(findings, "2.stages") || findings_have(findings, "6.layers"))
        return;
    judge_kinds(input, file, findings);
    if (!rk_findings_errors(findings) && value_of(file, PP_DEG) <= RK_MAX_STAGES)
        judge_memory(input, file, findings);
}

enum rk_status check_galvatron(const struct rk_check_input *input, struct rk_findings *findings,
                               struct rk_error *error)
{
    struct settings settings;
    struct file file = {.layers = 0};
    uint32_t *values = calloc((size_t)GALVATRON_KEYS * MOST_LAYERS, sizeof *values);
    enum rk_status status =
        settings_read(&settings, input->path, input->text, input->sets, input->set_count, error);
    if (status == RK_OK && !values) status = no_memory(error);
    for (int key = 0; values && key < GALVATRON_KEYS; key++)
        file.value[key] = values + (size_t)key * MOST_LAYERS;
    if (status == RK_OK) judge(input, &settings, &file, findings);
    settings_release(&settings);
    free(values);
    return status;
}
