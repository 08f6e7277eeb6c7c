#include "cli/train_model.h"

#include "cli/executor.h"
#include "cli/model_input.h"
#include "cli/train_arithmetic.h"
#include "cli/train_catalog.h"
#include "cli/train_exact.h"

#include <math.h>
#include <string.h>
#include <sys/stat.h>

static const json_t *first_of(const json_t *root, const char *const *keys)
{
    for (; *keys; keys++) {
        const json_t *value = json_object_get(root, *keys);
        if (value && !json_is_null(value)) return value;
    }
    return NULL;
}

static void read_number(const json_t *root, const char *const *keys, double *number)
{
    const json_t *value = first_of(root, keys);
    if (json_is_number(value)) *number = json_number_value(value);
}

static enum rk_status refuse(const struct document *document, const char *key,
                             struct rk_error *error)
{
    return rk_fail(error, RK_UNSUPPORTED, document->path, 0, 0,
                   "the executor has nothing for what %s says: take another model", key);
}

static double number_at(const json_t *object, const char *key, double usual)
{
    const json_t *value = json_object_get(object, key);
    return json_is_number(value) ? json_number_value(value) : usual;
}

static double yarn_scale(double factor, double times)
{
    return factor > 1 ? 0.1 * times * log(factor) + 1 : 1;
}

/* Yarn, as transformers 4.57 has it: it takes max_position_embeddings over the context before as
 * the factor, whatever `factor` says. DeepSeek-V3 scales scores by mscale_all_dim as well. */
static enum rk_status read_yarn(const struct document *document, const char *place,
                                const json_t *said, struct rk_rotary_stretch *stretch,
                                struct rk_error *error)
{
    const struct exact_type *type =
        train_exact_type(json_string_value(json_object_get(document->root, "model_type")));
    const double most = number_at(document->root, "max_position_embeddings", 0);
    const double all = number_at(said, "mscale_all_dim", 0), times = number_at(said, "mscale", 0);
    const bool scales = type && type->facts & STRETCHES_SCORES;
    struct rk_rotary_stretch s = {.factor = number_at(said, "factor", 0), .yarn = true};
    s.context = number_at(said, "original_max_position_embeddings", most);
    s.high = number_at(said, "beta_fast", 32);
    s.low = number_at(said, "beta_slow", 1);
    s.fractional = json_is_false(json_object_get(said, "truncate"));
    if (!(s.factor >= 1) || !(s.context > 0) || !(s.low > 0) || !(s.high >= s.low))
        return rk_fail(error, RK_BAD_INPUT, document->path, 0, 0,
                       "%s: yarn takes a factor of 1 and more, a context and "
                       "beta_slow of at most beta_fast",
                       place);
    if (json_object_get(said, "original_max_position_embeddings") &&
        fabs(most / s.context - s.factor) > 1e-6 * s.factor)
        return rk_fail(error, RK_UNSUPPORTED, document->path, 0, 0,
                       "%s: factor %g, and max_position_embeddings is %g times the context before: "
                       "transformers goes by the latter, others by the former; let both agree",
                       place, s.factor, most / s.context);
    if (all > 0 && !scales) return refuse(document, "mscale_all_dim", error);
    s.magnitude =
        number_at(said, "attention_factor",
                  times > 0 && all > 0 ? yarn_scale(s.factor, times) / yarn_scale(s.factor, all)
                                       : yarn_scale(s.factor, 1));
    if (all > 0) s.softmax = pow(yarn_scale(s.factor, all), 2);
    *stretch = s;
    return RK_OK;
}

static bool read_factors(const json_t *list, int count, double *divide)
{
    bool ok = json_array_size(list) == (size_t)count && count > 0 && count <= RK_ROTARY_FACTORS;
    for (int i = 0; ok && i < count; i++) {
        divide[i] = json_number_value(json_array_get(list, (size_t)i));
        ok = divide[i] > 0;
    }
    return ok;
}

/* Phi-3's: two lists of factors, for samples up to the context before and for longer ones. */
static enum rk_status read_longrope(const struct document *document, const char *place,
                                    const json_t *said, struct rk_rotary_stretch *stretch,
                                    struct rk_error *error)
{
    static const char key[] = "original_max_position_embeddings";
    const double most = number_at(document->root, "max_position_embeddings", 0);
    const double before = number_at(document->root, key, number_at(said, key, 0));
    const json_t *few = json_object_get(said, "short_factor");
    struct rk_rotary_stretch s = {.factor =
                                      before > 0 ? most / before : number_at(said, "factor", 0),
                                  .context = before > 0 ? before : most};
    s.factors = (int)json_array_size(few);
    if (!(s.factor >= 1) || !(s.context > 1) || !read_factors(few, s.factors, s.divide[0]) ||
        !read_factors(json_object_get(said, "long_factor"), s.factors, s.divide[1]))
        return rk_fail(
            error, RK_BAD_INPUT, document->path, 0, 0,
            "%s: longrope takes short_factor and long_factor, two lists of the same "
            "length (at most %d) of numbers above 0, and max_position_embeddings that is "
            "not below %s",
            place, RK_ROTARY_FACTORS, key);
    s.magnitude = number_at(said, "attention_factor", sqrt(1 + log(s.factor) / log(s.context)));
    *stretch = s;
    return RK_OK;
}

/* How RoPE is stretched, as transformers' modeling_rope_utils.py reads it. */
static enum rk_status read_stretch(const struct document *document, const char *place,
                                   struct rk_rotary_stretch *stretch, struct rk_error *error)
{
    static const char *const types[] = {"rope_type", "type", NULL};
    const json_t *said = json_object_get(document->root, place);
    const char *type = json_string_value(first_of(said, types));
    if (!type || strcmp(type, "default") == 0)
        return first_of(said, types) && !type ? refuse(document, place, error) : RK_OK;
    struct rk_rotary_stretch s = {.factor = 0};
    const struct {
        const char *key;
        double *number;
    } rows[] = {{"factor", &s.factor},
                {"original_max_position_embeddings", &s.context},
                {"low_freq_factor", &s.low},
                {"high_freq_factor", &s.high}};
    const bool linear = strcmp(type, "linear") == 0;
    if (strcmp(type, "yarn") == 0) return read_yarn(document, place, said, stretch, error);
    if (strcmp(type, "longrope") == 0 || strcmp(type, "su") == 0)
        return read_longrope(document, place, said, stretch, error);
    if (!linear && strcmp(type, "llama3") != 0)
        return rk_fail(error, RK_UNSUPPORTED, document->path, 0, 0,
                       "%s is of type %s, and the executor has default, linear, llama3, yarn and "
                       "longrope: take another model",
                       place, type);
    for (size_t i = 0; i < (linear ? 1 : sizeof rows / sizeof *rows); i++) {
        const json_t *value = json_object_get(said, rows[i].key);
        if (!json_is_number(value) || !(json_number_value(value) > 0))
            return rk_fail(error, RK_BAD_INPUT, document->path, 0, 0,
                           "%s.%s: a number above 0 belongs there", place, rows[i].key);
        *rows[i].number = json_number_value(value);
    }
    if (!linear && s.low >= s.high)
        return rk_fail(error, RK_BAD_INPUT, document->path, 0, 0,
                       "%s: low_freq_factor %g is not below high_freq_factor %g", place, s.low,
                       s.high);
    *stretch = s;
    return RK_OK;
}

static enum rk_status read_rotary(const struct document *document, struct rk_train *train,
                                  struct rk_error *error)
{
    static const char *const places[] = {"rope_scaling", "rope_parameters", NULL};
    for (const char *const *place = places; *place; place++) {
        const enum rk_status status = read_stretch(document, *place, &train->rotary_stretch, error);
        if (status != RK_OK) return status;
    }
    return RK_OK;
}

static void read_router(const json_t *root, struct rk_train *train)
{
    static const char *const scales[] = {"routed_scaling_factor", NULL};
    const struct exact_type *type =
        train_exact_type(json_string_value(json_object_get(root, "model_type")));
    const char *scores = json_string_value(json_object_get(root, "scoring_func"));
    const json_t *normalises = json_object_get(root, "norm_topk_prob");
    if (json_is_boolean(normalises))
        train->renormalise = json_is_true(normalises);
    else if (type && type->facts & UNNORMALISED)
        train->renormalise = false;
    read_number(root, scales, &train->route_scale);
    if (scores)
        train->scores = strcmp(scores, "sigmoid") == 0 ? RK_SCORES_SIGMOID : RK_SCORES_SOFTMAX;
}

enum rk_status train_model_details(const struct document *document, const struct rk_model *model,
                                   struct rk_train *train, struct rk_error *error)
{
    static const char *const bases[] = {"rope_theta", NULL};
    static const char *const epsilons[] = {"rms_norm_eps",
                                           "layer_norm_epsilon",
                                           "layer_norm_eps",
                                           "layernorm_epsilon",
                                           "norm_epsilon",
                                           "norm_eps",
                                           NULL};
    static const char *const activations[] = {"hidden_activation", "hidden_act",
                                              "activation_function", "activation", NULL};
    static const char *const contexts[] = {"max_position_embeddings", NULL};
    const enum rk_status exact = train_exact(document, train, error);
    if (exact != RK_OK) return exact;
    read_number(document->root, bases, &train->rotary_base);
    read_number(json_object_get(document->root, "rope_parameters"), bases, &train->rotary_base);
    read_number(document->root, epsilons, &train->norm_eps);
    double context = 0;
    read_number(document->root, contexts, &context);
    if (context >= 1 && context < 1e9) train->context = (uint64_t)context;
    const char *activation = json_string_value(first_of(document->root, activations));
    train->exact_gelu = activation && strcmp(activation, "gelu") == 0;
    read_router(document->root, train);
    struct document said = *document;
    said.root = train_exact_said(document->root);
    enum rk_status status = read_rotary(&said, train, error);
    if (status == RK_OK) status = train_arithmetic(&said, model, train, error);
    json_decref(said.root);
    return status;
}

/* Mixtures like Qwen's: of the same shape, some divide the weights of a token's experts by their
 * sum and some do not, which no key of a model file says. */
static bool leaves_router_open(const struct rk_model *m)
{
    return m->experts && !m->router_biases && (m->shared_gate || (m->qk_norm && !m->qk_norm_wide));
}

static enum rk_status refuse_open_router(const char *path, struct rk_error *error)
{
    return rk_fail(error, RK_UNSUPPORTED, path, 0, 0,
                   "it has the shape of Qwen's mixtures, and does not say if the weights of a "
                   "token's experts sum to one: give its config.json, or add \"config\": "
                   "{\"model_type\": \"qwen3_moe\", \"norm_topk_prob\": true}");
}

/* A model file that `reckon import` made of a config.json has that in `config`; what the library
 * wrote of a model that is not computed has the reason there. One without it, as import once wrote
 * them, has the shape alone: its first source is of which type. */
static enum rk_status read_imported(const struct document *file, const struct rk_model *model,
                                    struct rk_train *train, struct rk_error *error)
{
    const char *text = json_string_value(json_array_get(json_object_get(file->root, "source"), 0));
    struct document said = *file;
    char name[64];
    said.root = json_object_get(file->root, "config");
    const char *lacks = json_string_value(json_object_get(said.root, "lacks"));
    if (lacks) return rk_fail(error, RK_UNSUPPORTED, file->path, 0, 0, "%s: %s", model->id, lacks);
    if (said.root) return train_model_details(&said, model, train, error);
    if (!text ||
        sscanf(text, "config.json of Hugging Face transformers, model_type %63s", name) != 1)
        return leaves_router_open(model) ? refuse_open_router(file->path, error) : RK_OK;
    return rk_fail(error, RK_UNSUPPORTED, file->path, 0, 0,
                   "it has the shape of a %s model, and not what else its config.json says of the "
                   "arithmetic: import that again, or give it",
                   name);
}

/* What is said besides the shape: by a config.json, by the catalog of one of its models, or by the
 * numbers of a model file. */
static enum rk_status read_details(const char *path, const struct rk_model *model,
                                   struct rk_train *train, struct rk_error *error)
{
    struct document said = {.root = NULL};
    struct stat about;
    enum rk_status status = RK_OK;
    if (stat(path, &about) == 0)
        status = hf_document_load(path, &said, error);
    else if (train_catalog_has(path))
        status = train_catalog_open(model->id, &said, error);
    if (status == RK_OK && json_object_get(said.root, "model_type"))
        status = train_model_details(&said, model, train, error);
    else if (status == RK_OK && (status = read_imported(&said, model, train, error)) == RK_OK)
        train_catalog_numbers(model, train);
    document_release(&said);
    return status;
}

enum rk_status train_model_open(const char *name, struct rk_model *model, struct rk_train *train,
                                struct rk_error *error)
{
    char path[4096];
    struct stat about;
    const bool folder = stat(name, &about) == 0 && S_ISDIR(about.st_mode);
    snprintf(path, sizeof path, folder ? "%s/config.json" : "%s", name);
    enum rk_status status = model_open(path, model, error);
    if (status == RK_OK) status = read_details(path, model, train, error);
    if (status != RK_OK) return status;
    if (train->rotary_stretch.factors) /* texts of up to so many tokens: others turn otherwise */
        train->context = (uint64_t)train->rotary_stretch.context;
    else if (model->position != RK_POSITION_ROPE || train->context <= model->sequence)
        train->context = 0; /* that of the model */
    return RK_OK;
}

static bool is_file_name(const char *text)
{
    return strchr(text, '/') || strstr(text, ".json");
}

enum rk_status train_plan_read(const char *plan, const struct option_texts *words, uint64_t ranks,
                               const struct rk_train_about *goes_on, struct plan_draft *draft,
                               struct rk_error *error)
{
    struct plan_fault fault;
    enum rk_status status = RK_OK;
    *draft = plan_draft();
    if (plan)
        status = is_file_name(plan) ? plan_named(plan, draft, error)
                                    : plan_read_words(plan, draft, error);
    if (status == RK_OK) status = plan_read_texts(words, draft, error);
    if (status != RK_OK) return status;
    if (!plan_given(draft, "precision")) {
        draft->plan.precision = RK_FP32;
        struct rk_layout layout = *rk_plan_layout(&draft->plan);
        for (int i = 0; i < layout.others; i++)
            layout.other[i].precision = RK_FP32;
        draft->plan.layout = rk_layout_keep(&layout);
    }
    if (goes_on && goes_on->batch) {
        if (!plan_given(draft, "batch")) draft->plan.batch = goes_on->batch;
        if (!plan_given(draft, "sequence")) draft->plan.sequence = goes_on->sequence;
        draft->given[plan_row("batch")] = draft->given[plan_row("sequence")] = true;
    }
    if (ranks && plan_given(draft, "gpus") && draft->plan.ranks != ranks)
        return rk_fail(error, RK_BAD_ARGUMENT, NULL, 0, 0,
                       "--ranks says %llu, the plan's gpus %llu: leave one out",
                       (unsigned long long)ranks, (unsigned long long)draft->plan.ranks);
    if (!ranks) ranks = cli_executor->ranks;
    if (ranks && !plan_given(draft, "gpus")) {
        draft->plan.ranks = ranks;
        draft->given[plan_row("gpus")] = true;
    }
    if (plan_complete(draft, &fault)) return RK_OK;
    return plan_fail(draft, &fault, error);
}
