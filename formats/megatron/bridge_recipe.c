/* bridge_recipe.c - recipes of Megatron-Bridge: functions in Python that fill a ConfigContainer
 * line by line, "cfg.model.tensor_model_parallel_size = 4". Read as data, nothing is run.
 *
 * The model is that of AutoBridge.from_hf_pretrained("..."), by the catalog; what
 * _pretrain_common() and _sft_common() set first: src/megatron/bridge/recipes/common.py of 2026.
 */
#include "keys/reader.h"
#include "megatron/bridge.h"
#include <reckon/catalog.h>

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LETTERS "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"

enum { MOST = 400, KEY = 96, VALUE_BYTES = 256, LINE = 1024, DEPTH = 8, NAMES = 300 };

struct assignment {
    char key[KEY], value[VALUE_BYTES]; /* "" : None */
    int line;
    bool computed; /* the value is no literal */
};

struct recipe {
    const struct config_source *source;
    struct notes *notes;
    struct rk_error *error;
    const char *wanted; /* function; NULL: the only one */
    char hub[VALUE_BYTES];
    size_t count;
    struct assignment at[MOST];
};

static enum rk_status fail_line(const struct recipe *r, int line, const char *what, const char *why)
{
    return rk_fail(r->error, RK_BAD_INPUT, r->source->path, line, 0, "%.100s: %s", what, why);
}

/* What --set says of a key; NULL: nothing. */
static const char *given(const struct recipe *r, const char *key)
{
    const size_t n = strlen(key);
    for (size_t i = 0; i < r->source->set_count; i++)
        if (strncmp(r->source->sets[i], key, n) == 0 && r->source->sets[i][n] == '=')
            return r->source->sets[i] + n + 1;
    return NULL;
}

/* ---- what is assigned ---- */

static enum rk_status put(struct recipe *r, const char *key, const char *value, int line,
                          bool computed)
{
    size_t i = 0;
    while (i < r->count && strcmp(r->at[i].key, key) != 0)
        i++;
    if (i == MOST) return fail_line(r, line, key, "has no room: too many keys are set");
    if (strlen(key) >= KEY || strlen(value) >= VALUE_BYTES)
        return fail_line(r, line, key, "is too long");
    struct assignment *a = &r->at[i];
    snprintf(a->key, KEY, "%s", key);
    snprintf(a->value, VALUE_BYTES, "%s", value);
    a->line = line;
    a->computed = computed;
    if (i == r->count) r->count++;
    return RK_OK;
}

static const struct assignment *find(const struct recipe *r, const char *key)
{
    for (size_t i = 0; i < r->count; i++)
        if (strcmp(r->at[i].key, key) == 0) return &r->at[i];
    return NULL;
}

/* Sections that decide a plan; the others are data, files, logs and learning rates. */
static bool decides(const char *key)
{
    static const char *const sections[] = {"model.", "train.",       "ddp.",           "optimizer.",
                                           "peft",   "comm_overlap", "mixed_precision"};
    static const char *const aside[] = {
        "optimizer.lr",        "optimizer.min_lr",     "optimizer.adam_", "optimizer.weight_decay",
        "optimizer.clip_grad", "model.pipeline_dtype", "model.rotary_",   "model.rope_",
        "model.yarn_",         "model.seed",           "model._",         "train.train_iters",
        "train.manual_gc",     "train.exit_"};
    bool in = false;
    for (size_t i = 0; i < sizeof sections / sizeof *sections; i++)
        in |= strncmp(key, sections[i], strlen(sections[i])) == 0;
    for (size_t i = 0; i < sizeof aside / sizeof *aside; i++)
        if (strncmp(key, aside[i], strlen(aside[i])) == 0) return false;
    return in;
}

/* A literal as YAML has it: False false, "text" text, torch.bfloat16 bfloat16, ["a", "b"] [a,b];
 * false: it is computed. */
static bool literal(const struct recipe *r, const char *text, char value[static VALUE_BYTES])
{
    char *end;
    const size_t n = strlen(text);
    value[0] = '\0';
    if (strcmp(text, "None") == 0) return true;
    if (strcmp(text, "True") == 0 || strcmp(text, "False") == 0) {
        snprintf(value, VALUE_BYTES, "%s", *text == 'T' ? "true" : "false");
        return true;
    }
    if (strncmp(text, "torch.", 6) == 0 || (strtod(text, &end), end != text && !*end)) {
        snprintf(value, VALUE_BYTES, "%.200s", *text == 't' ? text + 6 : text);
        return true;
    }
    if (n > 1 && n < VALUE_BYTES && (*text == '"' || *text == '\'') && text[n - 1] == *text &&
        !memchr(text + 1, *text, n - 2)) {
        snprintf(value, VALUE_BYTES, "%.*s", (int)n - 2, text + 1);
        return true;
    }
    if (n > 1 && n < VALUE_BYTES && *text == '[' && text[n - 1] == ']' && !strpbrk(text, "(*+")) {
        size_t used = 0;
        for (const char *p = text; *p; p++)
            if (!strchr("\"' ", *p)) value[used++] = *p;
        value[used] = '\0';
        return true;
    }
    const struct assignment *local = find(r, text); /* a variable of the function */
    if (local && !local->computed) snprintf(value, VALUE_BYTES, "%s", local->value);
    return local && !local->computed;
}

/* "bf16_with_mxfp8_mixed()" is the recipe of that name; get_mixed_precision_config(NAME) its
 * members, from a recipe or its name. */
static const char *without_getter(const char *text, char inner[static LINE])
{
    static const char getter[] = "get_mixed_precision_config(";
    const size_t n = strlen(text);
    if (strncmp(text, getter, sizeof getter - 1) != 0 || text[n - 1] != ')') return text;
    snprintf(inner, LINE, "%.*s", (int)(n - sizeof getter), text + sizeof getter - 1);
    return inner;
}

static bool precision_call(const char *key, const char *text, char value[static VALUE_BYTES])
{
    const size_t n = strspn(text, "abcdefghijklmnopqrstuvwxyz0123456789_");
    if (strcmp(key, "mixed_precision") != 0 || strcmp(text + n, "()") != 0) return false;
    snprintf(value, VALUE_BYTES, "%.*s", (int)(n < 200 ? n : 200), text);
    return true;
}

/* ---- lines ---- */

struct cursor {
    const char *at;
    int line;
};

/* The next line without its comment and ends; a bracket that is open takes the lines below in. */
static bool next_line(struct cursor *c, char text[static LINE], int *line)
{
    size_t used = 0;
    int open = 0;
    *line = c->line;
    if (!*c->at) return false;
    do {
        char quote = '\0';
        for (; *c->at && *c->at != '\n'; c->at++) {
            const char letter = *c->at;
            if (quote && letter == quote)
                quote = '\0';
            else if (!quote && (letter == '"' || letter == '\''))
                quote = letter;
            if (!quote && letter == '#') break;
            if (!quote) open += letter == '(' || letter == '[' || letter == '{';
            if (!quote) open -= letter == ')' || letter == ']' || letter == '}';
            if (used + 2 < LINE) text[used++] = letter;
        }
        c->at += strcspn(c->at, "\n");
        c->line += *c->at == '\n';
        c->at += *c->at == '\n';
    } while (open > 0 && *c->at);
    while (used && isspace((unsigned char)text[used - 1]))
        used--;
    text[used] = '\0';
    return true;
}

/* The body of a function; NULL: the file has none of the name. */
static const char *body_of(const char *text, const char *name, int *line)
{
    const size_t n = strlen(name);
    *line = 1;
    for (const char *at = text; *at; at += strcspn(at, "\n"), at += *at == '\n', ++*line)
        if (strncmp(at, "def ", 4) == 0 && strncmp(at + 4, name, n) == 0 && at[4 + n] == '(')
            return at;
    return NULL;
}

static enum rk_status read_function(struct recipe *r, const char *name, int depth);

static enum rk_status preset(struct recipe *r, const char *name, int line)
{
    static const char *const both[][2] = {{"ddp.grad_reduce_in_fp32", "true"},
                                          {"mixed_precision", "bf16_mixed"}};
    static const char *const pretrain[][2] = {{"train.global_batch_size", "32"},
                                              {"train.micro_batch_size", "2"},
                                              {"ddp.overlap_grad_reduce", "true"},
                                              {"ddp.overlap_param_gather", "true"},
                                              {"ddp.use_distributed_optimizer", "true"}};
    static const char *const tuned[][2] = {{"train.global_batch_size", "128"},
                                           {"train.micro_batch_size", "1"}};
    const bool first = strcmp(name, "_pretrain_common") == 0;
    if (!first && strcmp(name, "_sft_common") != 0)
        return fail_line(
            r, line, name,
            strstr(name, "peft")  ? "only adapters are trained, which plans do not cover"
            : strstr(name, "vlm") ? "a model of images and text, which plans do not cover"
                                  : "is not in this file: give the recipe that sets the "
                                    "values itself");
    enum rk_status status = RK_OK;
    for (size_t i = 0; status == RK_OK && i < 2; i++)
        status = put(r, both[i][0], both[i][1], line, false);
    for (size_t i = 0; status == RK_OK && i < (first ? 5 : 2); i++)
        status = first ? put(r, pretrain[i][0], pretrain[i][1], line, false)
                       : put(r, tuned[i][0], tuned[i][1], line, false);
    return status;
}

static enum rk_status assign(struct recipe *r, const char *key, const char *text, int line);

/* KEY = NameConfig(a=1, b=2): the members a and b of the key; those that are not said have their
 * presets, not what stood there before. */
static enum rk_status assign_members(struct recipe *r, const char *key, char *text, int line)
{
    enum rk_status status = put(r, key, "", line, false);
    for (char *at = strchr(text, '(') + 1; status == RK_OK && *at;) {
        int open = 0;
        char *end = at, quote = '\0';
        for (; *end && (open || quote || !strchr(",)", *end)); end++) {
            if (*end == quote || (!quote && strchr("\"'", *end))) quote = quote ? '\0' : *end;
            if (!quote) open += !!strchr("([{", *end) - !!strchr(")]}", *end);
        }
        const bool more = *end == ',';
        *end = '\0';
        at += strspn(at, " ");
        char *equal = strchr(at, '=');
        char member[KEY];
        snprintf(member, sizeof member, "%.40s.%.*s", key, equal ? (int)(equal - at) : 0, at);
        if (equal) status = assign(r, member, equal + 1 + strspn(equal + 1, " "), line);
        at = more ? end + 1 : end;
    }
    return status;
}

/* cfg.KEY = TEXT, or a variable. */
static enum rk_status assign(struct recipe *r, const char *key, const char *text, int line)
{
    char value[VALUE_BYTES];
    char inner[LINE];
    if (*text == '(' && text[strlen(text) - 1] == ')') { /* over several lines */
        snprintf(inner, sizeof inner, "%.*s", (int)strlen(text) - 2, text + 1);
        text = inner + strspn(inner, " ");
        for (size_t n = strlen(inner); n && inner[n - 1] == ' '; n--)
            inner[n - 1] = '\0';
    }
    const char *from = strstr(text, "from_hf_pretrained(");
    if (from && strcmp(key, "model") == 0) {
        const char *name = from + strlen("from_hf_pretrained(");
        char first[VALUE_BYTES];
        snprintf(first, sizeof first, "%.*s", (int)strcspn(name + strspn(name, " "), ",)"),
                 name + strspn(name, " "));
        if (!literal(r, first, r->hub))
            return fail_line(r, line, first, "is computed: give the model with --set model=ID");
        return RK_OK;
    }
    if (strcmp(key, "mixed_precision") == 0) text = without_getter(text, inner);
    if (strncmp(text, "cfg.", 4) == 0 && find(r, text + 4)) { /* of another key */
        const struct assignment *other = find(r, text + 4);
        snprintf(value, sizeof value, "%s", other->value); /* it may be the same key */
        return put(r, key, value, line, other->computed);
    }
    const size_t name = strspn(text, LETTERS "0123456789_");
    if (name > 6 && strncmp(text + name - 6, "Config(", 7) == 0 && text != inner) {
        snprintf(inner, sizeof inner, "%s", text);
        return assign_members(r, key, inner, line);
    }
    const bool known = literal(r, text, value) || precision_call(key, text, value);
    return put(r, key, value, line, !known);
}

/* NAME = LITERAL above the functions, "_MODEL: str = ..." too. */
static enum rk_status read_constants(struct recipe *r)
{
    char text[LINE], value[VALUE_BYTES];
    int line;
    struct cursor c = {r->source->text, 1};
    enum rk_status status = RK_OK;
    while (status == RK_OK && next_line(&c, text, &line)) {
        const size_t name = strspn(text, LETTERS "_0123456789");
        char *equal = strstr(text, " = ");
        if (!name || !equal || (text[name] != ' ' && text[name] != ':')) continue;
        if (equal != text + name && text[name] != ':') continue;
        if (!literal(r, equal + 3, value)) continue;
        text[name] = '\0';
        status = put(r, text, value, line, false);
    }
    return status;
}

static enum rk_status read_line(struct recipe *r, char *text, int line, size_t indent, int depth)
{
    const bool config = strncmp(text, "cfg.", 4) == 0;
    char *equal = strstr(text, " = ");
    const size_t word = strspn(text, LETTERS "_0123456789.");
    if (equal && (size_t)(equal - text) == word) {
        *equal = '\0';
        char *value = equal + 3;
        if (strcmp(text, "cfg") == 0) {
            value[strcspn(value, "(")] = '\0';
            int at;
            return body_of(r->source->text, value, &at) ? read_function(r, value, depth + 1)
                                                        : preset(r, value, line);
        }
        const char *key = config ? text + 4 : text;
        if (indent > 4 && config && decides(key) && !given(r, key))
            return fail_line(r, line, key, "stands under a condition: give its value with --set");
        return indent > 4 ? RK_OK : assign(r, key, value, line);
    }
    if (strstr(text, "(cfg") && strncmp(text, "return", 6) != 0 && strncmp(text, "if ", 3) != 0)
        notes_add_rule(r->notes, "1.followed", NOTE_WARNING, line, 1, "call", text, "",
                       "may change the configuration and is not followed");
    return RK_OK;
}

static enum rk_status read_function(struct recipe *r, const char *name, int depth)
{
    char text[LINE];
    int line, first;
    const char *body = body_of(r->source->text, name, &first);
    if (!body || depth > DEPTH) return fail_line(r, 0, name, "is not a function of this file");
    struct cursor c = {body, first};
    enum rk_status status = RK_OK;
    next_line(&c, text, &line); /* its head */
    while (status == RK_OK && next_line(&c, text, &line)) {
        const size_t indent = strspn(text, " ");
        if (text[indent] && indent == 0) break;
        status = read_line(r, text + indent, line, indent, depth);
    }
    return status;
}

/* ---- which function ---- */

static enum rk_status choose(struct recipe *r, char name[static KEY])
{
    char names[NAMES] = "";
    size_t used = 0, count = 0;
    for (const char *at = strstr(r->source->text, "def "); at; at = strstr(at + 1, "def ")) {
        const size_t n = strspn(at + 4, "abcdefghijklmnopqrstuvwxyz_0123456789");
        if ((at != r->source->text && at[-1] != '\n') || at[4] == '_' || n < 7 || n >= KEY ||
            strncmp(at + 4 + n - 7, "_config", 7) != 0)
            continue;
        if (!count++) snprintf(name, KEY, "%.*s", (int)n, at + 4);
        if (used < sizeof names)
            used += (size_t)snprintf(names + used, sizeof names - used, "%s%.*s",
                                     count > 1 ? ", " : "", (int)n, at + 4);
    }
    if (r->wanted) {
        snprintf(name, KEY, "%s", r->wanted);
        return RK_OK;
    }
    if (count == 1) return RK_OK;
    return rk_fail(r->error, RK_BAD_INPUT, r->source->path, 0, 0,
                   count ? "has %zu recipes: give one with --set config=NAME (%s%s)"
                         : "has no recipe: no function whose name ends in _config",
                   count, names, used >= sizeof names ? "..." : "");
}

/* ---- as a file of overrides ---- */

static enum rk_status check(const struct recipe *r)
{
    for (size_t i = 0; i < r->count; i++) {
        const struct assignment *a = &r->at[i];
        if (strncmp(a->key, "peft", 4) == 0 && *a->value)
            return fail_line(r, a->line, "cfg.peft",
                             "only adapters are trained, which plans do not cover");
        const bool whole = strcmp(a->key, "mixed_precision") == 0; /* of all members at once */
        if (a->computed && decides(a->key) && (whole || strchr(a->key, '.')) && !given(r, a->key))
            return fail_line(r, a->line, a->key, "is computed: give its value with --set");
    }
    return RK_OK;
}

/* The catalog's model by its rows, and over them what the recipe sets. */
static enum rk_status write_overrides(struct recipe *r, const struct rk_model *model, char **text)
{
    size_t size = 0;
    char *rows = NULL;
    FILE *file = open_memstream(&rows, &size);
    if (!file) return rk_fail(r->error, RK_NO_MEMORY, r->source->path, 0, 0, "out of memory");
    bridge_write_model(file, model);
    fclose(file);
    file = open_memstream(text, &size);
    for (char *at = rows; file && at && *at; at += strcspn(at, "\n"), at += *at == '\n') {
        char key[KEY];
        snprintf(key, sizeof key, "%.*s", (int)strcspn(at, ":"), at);
        if (!find(r, key)) fprintf(file, "%.*s\n", (int)strcspn(at, "\n"), at);
    }
    for (size_t i = 0; file && i < r->count; i++)
        if (decides(r->at[i].key) && *r->at[i].value && !r->at[i].computed)
            fprintf(file, "%s: %s\n", r->at[i].key, r->at[i].value);
    free(rows);
    if (file) fclose(file);
    return file ? RK_OK : rk_fail(r->error, RK_NO_MEMORY, r->source->path, 0, 0, "out of memory");
}

static enum rk_status load_model(struct recipe *r, struct rk_model *model)
{
    struct rk_error ignored;
    const char *id = given(r, "model") ? given(r, "model") : r->hub;
    if (!*id)
        return rk_fail(r->error, RK_BAD_INPUT, r->source->path, 0, 0,
                       "names no model by from_hf_pretrained(): give it with --set model=ID");
    if (rk_model_load(id, model, &ignored) != RK_OK)
        return rk_fail(
            r->error, RK_BAD_INPUT, r->source->path, 0, 0,
            "%.100s is not a model of the catalog: give one with --set model=ID (an id, or "
            "a file)",
            id);
    notes_add(r->notes, NOTE_ASSUMED, 0, 0, "model", id, "the catalog's %s", model->id);
    return RK_OK;
}

static enum rk_status read_overrides(struct recipe *r, const struct rk_model *known,
                                     struct rk_model *model, struct rk_plan *plan)
{
    char *text = NULL;
    const char *sets[MOST];
    struct config_source source = *r->source;
    enum rk_status status = write_overrides(r, known, &text);
    if (status != RK_OK) return status;
    source.text = text;
    source.sets = sets;
    source.set_count = 0;
    for (size_t i = 0; i < r->source->set_count && source.set_count < MOST; i++)
        if (strncmp(r->source->sets[i], "config=", 7) != 0 &&
            strncmp(r->source->sets[i], "model=", 6) != 0)
            sets[source.set_count++] = r->source->sets[i];
    status = nemo_read(&source, model, plan, r->notes, r->error);
    r->error->line = r->error->column = 0; /* those of the text that was made */
    for (int i = 0; i < r->notes->count; i++)
        if (strcmp(r->notes->note[i].what, "call") != 0)
            r->notes->note[i].line = r->notes->note[i].column = 0;
    if (status == RK_OK) {
        const uint64_t sequence = plan->sequence ? plan->sequence : model->sequence;
        *model = *known;
        plan->sequence = sequence == known->sequence ? 0 : sequence;
    }
    free(text);
    return status;
}

enum rk_status bridge_recipe_read(const struct config_source *source, struct rk_model *model,
                                  struct rk_plan *plan, struct notes *notes, struct rk_error *error)
{
    char name[KEY];
    struct rk_model known;
    struct recipe *r = calloc(1, sizeof *r);
    if (!r) return rk_fail(error, RK_NO_MEMORY, source->path, 0, 0, "out of memory");
    r->source = source;
    r->notes = notes;
    r->error = error;
    r->wanted = given(r, "config");
    enum rk_status status = choose(r, name);
    if (status == RK_OK) status = read_constants(r);
    if (status == RK_OK) status = read_function(r, name, 0);
    if (status == RK_OK) status = check(r);
    if (status == RK_OK) status = load_model(r, &known);
    if (status == RK_OK) status = read_overrides(r, &known, model, plan);
    free(r);
    return status;
}
