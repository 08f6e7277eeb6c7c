#include "megatron/run_script.h"
#include "base/text.h"
#include "keys/reader.h"
#include "megatron/megatron_args.h"
#include "megatron/run_script_command.h"
#include "shell/shell.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

static const char *const script_endings[] = {".sh",   ".bash", ".sbatch", ".slurm",
                                             ".slrm", ".job",  ".sub",    NULL};

bool run_script_is(const char *path, const char *text)
{
    if (run_script_is_config(path)) return false;
    const size_t line = strcspn(text, "\n");
    const char *shell = strstr(text, "sh");
    return text_ends_in_any(path, script_endings) ||
           (strncmp(text, "#!", 2) == 0 && shell && shell < text + line);
}

/* ---- its arguments ---- */

/* The last of two of the same name counts, and any of the caller's. */
static enum rk_status put(struct work *w, const char *key, const char *value,
                          const struct shell_word *unknown)
{
    const size_t n = strlen(key);
    size_t at = w->set_count;
    for (size_t i = 0; i < w->set_count; i++)
        if (strncmp(w->sets[i], key, n) == 0 && w->sets[i][n] == '=') at = i;
    if (at < w->own_sets) return RK_OK;
    if (at == MOST_SETS)
        return rk_fail(w->error, RK_BAD_INPUT, w->script->path, 0, 0, "too many arguments");
    struct shell_word written;
    if (unknown && run_script_is_config(value) && shell_file(&w->shell, value, &written))
        unknown = NULL; /* the script writes the file, wherever it does */
    char *text = malloc(n + strlen(value) + 2);
    if (text) sprintf(text, "%s=%s", key, value);
    char *name = run_script_keep(w, strdup(key)), *why = NULL;
    if (unknown) {
        struct rk_error error;
        shell_fail_unknown(&w->shell, unknown, &error);
        why = malloc(sizeof error.text + 32);
        if (why) snprintf(why, sizeof error.text + 32, "line %d: %s", error.line, error.text);
        why = run_script_keep(w, why);
    }
    w->sets[at] = run_script_keep(w, text);
    if (!w->sets[at] || !name || (unknown && !why)) return w->error->status;
    if (at == w->set_count) w->set_count++;
    for (at = 0; at < w->given_count && strcmp(w->given[at].key, key) != 0;)
        at++;
    w->given[at] = (struct key_given){name, why, !megatron_name_matters(name)};
    if (at == w->given_count) w->given_count++;
    return RK_OK;
}

static enum rk_status add_file(struct work *w, const struct shell_word *word, const char *text)
{
    if (word->unknown || word->maybe) return shell_fail_unknown(&w->shell, word, w->error);
    if (w->files == MOST_FILES) return run_script_fail_at(w, word, "is one configuration too many");
    w->file_word[w->files] = word;
    w->file[w->files++] = text;
    return RK_OK;
}

/* Of accelerate launch: the keys of its file. */
static enum rk_status put_launch(struct work *w, const char *name, const char *value,
                                 const struct shell_word *unknown)
{
    static const struct {
        const char *option, *key, *value;
    } rows[] = {
        {"use_fsdp", "distributed_type", "FSDP"},
        {"use_deepspeed", "distributed_type", "DEEPSPEED"},
        {"multi_gpu", "distributed_type", "MULTI_GPU"},
        {"use_megatron_lm", "distributed_type", "MEGATRON_LM"},
        {"zero_stage", "deepspeed_config.zero_stage", NULL},
        {"offload_optimizer_device", "deepspeed_config.offload_optimizer_device", NULL},
        {"offload_param_device", "deepspeed_config.offload_param_device", NULL},
        {"gradient_accumulation_steps", "deepspeed_config.gradient_accumulation_steps", NULL},
        {"deepspeed_config_file", "deepspeed_config.deepspeed_config_file", NULL},
    };
    char key[128];
    if (strncmp(name, "fsdp_", 5) == 0) {
        snprintf(key, sizeof key, "fsdp_config.%.96s", name);
        return put(w, key, value, unknown);
    }
    if (strncmp(name, "parallelism_config_", 19) == 0) {
        snprintf(key, sizeof key, "parallelism_config.%.96s", name);
        return put(w, key, value, unknown);
    }
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (strcmp(rows[i].option, name) == 0)
            return put(w, rows[i].key, rows[i].value ? rows[i].value : value, unknown);
    return put(w, name, value, unknown);
}

static bool is_ignored(const struct work *w, const char *name)
{
    return key_ignored(w->script->keys.ignored, w->script->keys.ignored_count, name, false);
}

/* ---- one option ---- */

/* "--compile.no_enable" is "compile.enable" off. */
static const char *strip_no(char *name)
{
    char *dot = strrchr(name, '.');
    char *part = dot ? dot + 1 : name;
    if (!dot || strncmp(part, "no_", 3) != 0) return "true";
    memmove(part, part + 3, strlen(part + 3) + 1);
    return "false";
}

/* torchtitan's `--module llama3`: the file of its configurations. */
static enum rk_status add_module(struct work *w, const struct shell_word *at, const char *module)
{
    char path[256];
    if (at->unknown || at->maybe) return shell_fail_unknown(&w->shell, at, w->error);
    snprintf(path, sizeof path, "torchtitan/%s/%.160s/config_registry.py",
             strchr(module, '.') ? "experiments" : "models", module);
    for (char *p = path; *p; p++)
        if (*p == '.' && strcmp(p, ".py") != 0) *p = '/';
    const char *kept = run_script_keep(w, strdup(path));
    return kept ? add_file(w, at, kept) : w->error->status;
}

/* "'Et*9|t*10'": what a command line inside another one is quoted by. */
static char *unquoted(char *text)
{
    const size_t n = strlen(text);
    if (n < 2 || text[0] != text[n - 1] || !strchr("'\"", text[0])) return text;
    text[n - 1] = '\0';
    return text + 1;
}

/* trl's own names of accelerate's configurations (trl/accelerate_configs), or a file. */
static enum rk_status put_named(struct work *w, const struct shell_word *at, const char *name)
{
    if (strncmp(name, "zero", 4) == 0 && !run_script_is_config(name))
        return put(w, "deepspeed", name, NULL);
    if (strncmp(name, "fsdp", 4) == 0 && !run_script_is_config(name)) {
        const enum rk_status status = put(w, "distributed_type", "FSDP", NULL);
        return status == RK_OK && name[4] ? put(w, "fsdp_config.fsdp_version", name + 4, NULL)
                                          : status;
    }
    if (!run_script_is_config(name)) return RK_OK; /* single_gpu, multi_gpu */
    w->launching = run_script_keep(w, strdup(name));
    w->launching_word = at;
    return w->launching ? RK_OK : w->error->status;
}

/* Of programs whose options HfArgumentParser reads; NULL: of others. */
static const struct key_table *parsed_keys(const struct work *w)
{
    static const struct {
        const char *format;
        const struct key_table *keys;
    } rows[] = {{"trainer", &trainer_keys},
                {"accelerate", &accelerate_keys},
                {"llama-factory", &llama_factory_keys},
                {"ms-swift", &ms_swift_keys}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (strcmp(rows[i].format, w->format->name) == 0) return rows[i].keys;
    return NULL;
}

/* "--no_remove_unused_columns": HfArgumentParser has such a switch for each key of two values that
 * is on by default. NULL: it is none. */
static const char *switched_off(const struct work *w, const char *name)
{
    const struct key_table *keys = parsed_keys(w);
    const bool no = strncmp(name, "no_", 3) == 0 || strncmp(name, "no-", 3) == 0;
    return keys && no && !key_find(keys, name) && key_find(keys, name + 3) ? name + 3 : NULL;
}

/* "--per_device_train_batch": the whole name, where the parser takes a part of it. */
static const char *whole_name(struct work *w, const struct shell_word *at, const char *name)
{
    const struct key_table *keys = parsed_keys(w);
    const char *full = keys ? key_abbreviated(keys, name) : NULL;
    if (!full) return name;
    notes_add(w->notes, NOTE_WARNING, at->place.line, at->place.column, name, "",
              "is taken as %s, as Python's argparse does", full);
    return full;
}

/* `accelerate launch --config_file $1`: a file, or what it says. */
static enum rk_status fail_launching(const struct work *w, const struct shell_word *at)
{
    struct rk_error why;
    shell_fail_unknown(&w->shell, at, &why);
    char *value = strstr(why.text, "=VALUE");
    if (value) *value = '\0';
    const char *given = run_script_is_config(at->text) ? "=VALUE" : "=FILE"; /* a part, or all */
    return rk_fail(w->error, RK_BAD_INPUT, why.path, why.line, why.column,
                   "%.200s%s, or --ignore config_file and what that file says with --set "
                   "distributed_type=FSDP (or DEEPSPEED with --set deepspeed_config.zero_stage=3)",
                   why.text, value ? given : "");
}

/* Of a program of one's own, which only names a configuration of DeepSpeed. */
static bool decides_cost(const char *name)
{
    return key_may_cost(name) && strncmp(name, "deepspeed", 9) != 0;
}

enum { OPTION_VALUE = 8192 };

/* Words after word `i`, up to the next option (of a launcher's at most one), joined by spaces:
 * *used counts the option, too. `unknown`: one of them that is not known. */
static enum rk_status join_values(struct work *w, size_t i, size_t end, bool launch,
                                  const char *name, char value[static OPTION_VALUE], size_t *used,
                                  const struct shell_word **unknown)
{
    char spare[96];
    while (i + *used < end &&
           !run_script_option_name(w->word[i + *used].text, spare, sizeof spare)) {
        const struct shell_word *next = &w->word[i + *used];
        if (next->maybe && megatron_name_matters(name))
            return shell_fail_unknown(&w->shell, next, w->error);
        if (next->unknown || next->maybe) *unknown = next;
        const size_t n = strlen(value);
        if (n + strlen(next->text) + 2 > OPTION_VALUE)
            return run_script_fail_at(w, next, "is too long");
        snprintf(value + n, OPTION_VALUE - n, "%s%s", n ? " " : "", next->text);
        ++*used;
        if (launch) break;
    }
    return RK_OK;
}

/* The words of one option, from `i`, are *used; the values are joined by spaces. */
static enum rk_status read_option(struct work *w, size_t i, size_t end, bool launch, char *name,
                                  size_t *used)
{
    const struct shell_word *word = &w->word[i], *unknown = word->unknown ? word : NULL;
    const char *equals = strchr(word->text, '=');
    char value[OPTION_VALUE] = "";
    *used = 1;
    if (equals) {
        snprintf(value, sizeof value, "%s", equals + 1);
    } else {
        const enum rk_status status = join_values(w, i, end, launch, name, value, used, &unknown);
        if (status != RK_OK) return status;
        if (*used == 1) snprintf(value, sizeof value, "%s", strip_no(name));
    }
    const struct shell_word *at = *used > 1 ? word + 1 : word;
    const bool nemo = strcmp(w->format->name, "nemo") == 0;
    if (w->starter->accelerates && !run_script_is_accelerate(w) && launch &&
        strcmp(name, "config_file") == 0) {
        if (is_ignored(w, "config_file")) return RK_OK;
        if (at->unknown) return fail_launching(w, at);
        w->launching = equals ? equals + 1 : at->text;
        w->launching_word = at;
        return RK_OK;
    }
    if ((nemo && run_script_is_one("config_path|cp", name)) ||
        (run_script_is_neox(w) && run_script_is_one("conf_dir|d", name))) {
        /* as `-d configs a.yml b.yml`: only the next word */
        if (at->unknown) return shell_fail_unknown(&w->shell, at, w->error);
        if (!equals && *used > 1) *used = 2;
        w->folder = equals ? equals + 1 : at->text;
        return RK_OK;
    }
    if ((run_script_is_one(w->starter->files, name) && !(run_script_is_accelerate(w) && !launch)) ||
        (nemo && strcmp(name, "cn") == 0)) {
        if (!equals && *used == 1) return RK_OK; /* `--deepspeed --deepspeed_config FILE` */
        if (!equals) *used = 2;
        if (strcmp(name, "module") == 0) return add_module(w, at, equals ? equals + 1 : at->text);
        return add_file(w, at, equals ? equals + 1 : at->text);
    }
    if (strcmp(w->format->name, "deepspeed") == 0) /* of the caller's program, unless it decides */
        return launch || !decides_cost(name) ? RK_OK : put(w, name, value, unknown);
    if (run_script_is_accelerate(w) && !launch && strcmp(name, "config") == 0) {
        if (at->unknown) return shell_fail_unknown(&w->shell, at, w->error);
        if (!equals && *used > 1) *used = 2;
        w->training = equals ? equals + 1 : at->text;
        w->training_word = at;
        return RK_OK;
    }
    if (w->starter->accelerates && launch) return put_launch(w, name, value, unknown);
    if (w->starter->accelerates && strcmp(name, "accelerate_config") == 0)
        return put_named(w, at, value);
    const char *off = *used == 1 && !equals ? switched_off(w, name) : NULL;
    if (off) return put(w, off, "false", NULL);
    if (!w->starter->prefix) return put(w, whole_name(w, word, name), value, unknown);
    char key[192];
    snprintf(key, sizeof key, "%s%s", w->starter->prefix, name);
    return put(w, key, unquoted(value), unknown);
}

/* Neither an option nor its value. */
static enum rk_status read_operand(struct work *w, const struct shell_word *word)
{
    const char *equals = strchr(word->text, '=');
    char key[128];
    if (word->empty_unknown && word->unknown) return shell_fail_unknown(&w->shell, word, w->error);
    if (w->starter->equals && equals && word->text[0] != '~') {
        const char *name = word->text + strspn(word->text, "+");
        snprintf(key, sizeof key, "%.*s", (int)(equals - name), name);
        const char *value = equals + 1;
        return put(w, key, value, word->unknown ? word : NULL);
    }
    if (w->starter->operand &&
        (run_script_is_config(word->text) ||
         (run_script_is_neox(w) && !text_ends_in(word->text, ".py") && w->folder)))
        return add_file(w, word, word->text);
    if (word > w->word + w->begin - 1 && strstr(word->text, "config") &&
        text_ends_in(word->text, ".py") && strcmp(w->format->name, "trainer") == 0)
        return run_script_fail_at(w, word,
                                  "is a configuration in Python, as nanoGPT has them, which is not "
                                  "read: say model, batch and sharding as words of reckon predict");
    if (text_ends_in(word->text, ".py") ||
        run_script_is_one("train|pretrain|sft|pt|rlhf", word->text) ||
        (w->begin && strcmp(w->word[w->begin - 1].text, "trl") == 0))
        return RK_OK;
    if (strcmp(w->format->name, "deepspeed") == 0) return RK_OK;
    return run_script_fail_at(w, word, "is not understood in this command");
}

/* Settings of accelerate's own file would be left out: not where the command has others. */
static enum rk_status judge_launch(const struct work *w)
{
    char name[96];
    for (size_t i = 0; i < w->begin && !w->starter->accelerates; i++)
        if (run_script_option_name(w->word[i].text, name, sizeof name) && !is_ignored(w, name) &&
            (run_script_is_one("config_file|use_fsdp|use_deepspeed", name) ||
             strncmp(name, "fsdp_", 5) == 0 || strcmp(name, "zero_stage") == 0))
            return run_script_fail_at(
                w, &w->word[i],
                "decides the sharding too: give what it says by --set with keys of the "
                "training's own (fsdp_config.version=2, zero_optimization.stage=3), "
                "and --ignore with this name");
    return RK_OK;
}

static enum rk_status read_words(struct work *w)
{
    char name[96];
    size_t used = 1, i = 0;
    enum rk_status status = judge_launch(w);
    while (i < w->begin && !run_script_is_one("launch|accelerate.commands.launch", w->word[i].text))
        i++;
    for (i = w->starter->accelerates && i < w->begin ? i + 1 : w->begin;
         status == RK_OK && i < w->count; i += used) {
        const struct shell_word *word = &w->word[i];
        const bool launch = i < w->begin;
        used = 1;
        if (word->maybe) return shell_fail_unknown(&w->shell, word, w->error);
        if (strcmp(word->text, "--launcher") == 0) w->launcher = used = 2;
        if (w->launcher && strcmp(word->text, "--") == 0) break; /* of it, what follows */
        if (used == 2) continue;
        if (launch && (i + 1 == w->begin || strcmp(word->text, "-m") == 0)) continue;
        if (run_script_option_name(word->text, name, sizeof name))
            status = read_option(w, i, launch ? w->begin - 1 : w->count, launch, name, &used);
        else if (!launch)
            status = read_operand(w, word);
    }
    return status;
}

/* ---- the files ---- */

/* "configs" and "125M" are configs/125M.yml. *name becomes the path. */
static enum rk_status open_file(struct work *w, const char **name, const struct shell_word *word,
                                const char **text)
{
    static const char *const ends[] = {"", ".yml", ".yaml", NULL};
    struct shell_word written = {.unknown = 0};
    char path[1024];
    for (int i = 0; ends[i]; i++) {
        for (int bare = 0; bare < 2; bare++) {
            if (bare && !w->folder) continue;
            snprintf(path, sizeof path, "%.400s%s%.400s%s", !bare && w->folder ? w->folder : "",
                     !bare && w->folder ? "/" : "", *name, ends[i]);
            *text = shell_file(&w->shell, path, &written);
            if (*text && (written.unknown || written.maybe))
                return shell_fail_unknown(&w->shell, &written, w->error);
            const bool beside = !*text;
            if (beside) *text = shell_beside(&w->shell, path);
            if (!*text) continue;
            if (beside && word == w->file_word[0]) w->found = shell_beside_path(&w->shell);
            *name = run_script_keep(w, strdup(path));
            return *name ? RK_OK : w->error->status;
        }
    }
    if (strcmp(w->format->name, "torchtune") == 0 && !run_script_is_config(*name))
        return run_script_fail_at(w, word,
                                  "is a configuration within torchtune: write it to a file with "
                                  "tune cp and have the command name that one");
    if (strcmp(w->format->name, "maxtext") == 0 && text_ends_in(*name, "base.yml")) {
        notes_add(w->notes, NOTE_ASSUMED, word->place.line, word->place.column, "base.yml", "",
                  "not at hand: MaxText's own, of 2026");
        *text = "{}\n";
        return RK_OK;
    }
    return run_script_fail_at(
        w, word,
        strcmp(w->format->name, "torchtitan") == 0 && !run_script_is_config(*name)
            ? "is a module of torchtitan that is not here: give its config_registry.py, "
              "reckon import torchtitan FILE --set config=NAME"
            : "is neither next to this script nor in a folder above it, and the script does "
              "not write it: copy it there");
}

static bool is_put(const struct work *w, const char *key)
{
    const size_t n = strlen(key);
    for (size_t i = 0; i < w->set_count; i++)
        if (strncmp(w->sets[i], key, n) == 0 && w->sets[i][n] == '=') return true;
    return false;
}

/* `accelerate launch --config_file FILE sft.py --config FILE`: what the command says wins. */
static enum rk_status read_beside(struct work *w, const char **name, const struct shell_word *word)
{
    const char *text = NULL;
    struct settings more = {.count = 0};
    if (!*name || (name == &w->launching && is_ignored(w, "config_file"))) return RK_OK;
    enum rk_status status = open_file(w, name, word, &text);
    if (status == RK_BAD_INPUT && name == &w->launching && !text)
        return run_script_fail_at(
            w, word,
            "is not at hand: give --ignore config_file and what it says with --set "
            "distributed_type=FSDP (or DEEPSPEED with --set deepspeed_config.zero_stage=3)");
    if (status == RK_OK) status = settings_read(&more, *name, text, NULL, 0, w->error);
    for (size_t i = 0; status == RK_OK && i < more.count; i++)
        if (!is_put(w, more.setting[i].key))
            status = put(w, more.setting[i].key, more.setting[i].text, NULL);
    settings_release(&more);
    return status;
}

/* Further files of GPT-NeoX: their keys, none of them in an earlier file. */
static enum rk_status merge(struct work *w, const char *first)
{
    struct settings all = {.count = 0};
    enum rk_status status = settings_read(&all, w->file[0], first, NULL, 0, w->error);
    settings_underscore(&all);
    for (int k = 1; status == RK_OK && k < w->files; k++) {
        const char *text = NULL;
        struct settings more = {.count = 0};
        status = open_file(w, &w->file[k], w->file_word[k], &text);
        if (status == RK_OK) status = settings_read(&more, w->file[k], text, NULL, 0, w->error);
        settings_underscore(&more);
        for (size_t i = 0; status == RK_OK && i < more.count; i++) {
            const struct setting *s = &more.setting[i];
            if (settings_find(&all, s->key))
                status = settings_fail(&more, s, w->error, "is in %s too", w->file[0]);
            else
                status = put(w, s->key, s->text, NULL);
        }
        settings_release(&more);
    }
    settings_release(&all);
    return status;
}

static enum rk_status read_plan(struct work *w, struct rk_model *model, struct rk_plan *plan)
{
    const char *text = "{}\n", *from = "";
    char path[1024];
    uint64_t gpus = w->script->gpus;
    enum rk_status status = w->files ? open_file(w, &w->file[0], w->file_word[0], &text) : RK_OK;
    if (status == RK_OK) status = read_beside(w, &w->training, w->training_word);
    if (status == RK_OK) status = read_beside(w, &w->launching, w->launching_word);
    if (status == RK_OK && w->files > 1 && !run_script_is_neox(w))
        return run_script_fail_at(w, w->file_word[1], "is a second configuration");
    if (status == RK_OK && w->files > 1) status = merge(w, text);
    if (status == RK_OK && !gpus && !w->starter->counts && !is_put(w, "num_processes"))
        status = megatron_launch_gpus(&w->shell, w->word, w->launcher ? w->count : w->begin,
                                      &w->slurm, &gpus, &from, w->error);
    if (status != RK_OK) return status;
    const char *slash = strrchr(w->script->path, '/');
    const int folder = slash ? (int)(slash - w->script->path) + 1 : 0;
    snprintf(path, sizeof path, "%.*s%.500s", w->files && *w->file[0] == '/' ? 0 : folder,
             w->script->path, w->files ? w->file[0] : w->script->path + folder);
    if (w->found && w->starter->prefix) snprintf(path, sizeof path, "%.1000s", w->found);
    if (gpus && !w->script->gpus) {
        char number[24];
        snprintf(number, sizeof number, "%llu", (unsigned long long)gpus);
        notes_add(w->notes, NOTE_ASSUMED, 0, 0, "gpus", number, "by %s", from);
    }
    const struct config_source source = {.path = path,
                                         .text = text,
                                         .sets = w->sets,
                                         .set_count = w->set_count,
                                         .keys = {.ignored = w->script->keys.ignored,
                                                  .ignored_count = w->script->keys.ignored_count,
                                                  .given = w->given,
                                                  .given_count = w->given_count},
                                         .gpus = gpus,
                                         .machine = w->script->machine,
                                         .vocabulary = w->script->vocabulary,
                                         .find_model = w->script->find_model,
                                         .script = &w->shell};
    if (w->script->find_model && !w->format->own_model)
        status = w->script->find_model(&source, model, w->notes, w->error);
    if (status == RK_OK) status = w->format->read(&source, model, plan, w->notes, w->error);
    return status;
}

/* ---- what the program trains ---- */

/* Is `name` a part of "run_dpo.py"? */
static bool has_part(const char *text, const char *name)
{
    const size_t n = strlen(name);
    for (const char *at = text; (at = strstr(at, name)); at++)
        if ((at == text || !isalnum((unsigned char)at[-1])) && !isalnum((unsigned char)at[n]))
            return true;
    return false;
}

/* Does the command, or a set, have a key of adapters? A configuration that it names may. */
static bool says_adapters(const struct work *w, const struct shell_word *program)
{
    for (const struct shell_word *word = program + 1; word < w->word + w->count; word++) {
        const bool option = word->text[0] == '-', value = word[-1].text[0] == '-';
        const size_t n = strcspn(word->text, "=");
        const char *lora = strstr(word->text, "lora"), *peft = strstr(word->text, "peft");
        const bool named = (lora && lora < word->text + n) || (peft && peft < word->text + n);
        if ((option && named) || (value && strcmp(word->text, "lora") == 0)) return true;
        if ((!value || strcmp(word[-1].text, "--config") == 0) && run_script_is_config(word->text))
            return true;
    }
    return is_put(w, "use_peft") || is_put(w, "lora_r") || is_put(w, "use_lora");
}

/* trl and programs around it say what they learn by the program's name: `trl dpo`, dpo.py. */
static enum rk_status take_objective(struct work *w)
{
    static const char *const learned[] = {"dpo", "kto", "orpo", "simpo", "cpo", "ipo", NULL};
    static const char *const others[] = {"grpo", "ppo", "rloo",   "gkd", "online_dpo", "xpo",
                                         "nash", "prm", "reward", "rm",  "rlhf",       NULL};
    if (!run_script_is_one("trainer|accelerate", w->format->name)) return RK_OK;
    const struct shell_word *program = &w->word[w->begin - 1];
    if (strcmp(program->text, "trl") == 0 && w->begin < w->count) program++;
    const char *slash = strrchr(program->text, '/'), *name = slash ? slash + 1 : program->text;
    for (int i = 0; others[i]; i++)
        if (has_part(name, others[i]) && !is_put(w, "rl"))
            return run_script_fail_at(
                w, program,
                "by its name generates answers or trains a model of rewards, which plans do not "
                "cover: give --set rl=dpo (or kto, orpo, simpo, cpo) where it does not");
    if (has_part(name, "flax") || has_part(name, "jax"))
        return run_script_fail_at(w, program,
                                  "by its name trains with JAX, of which only MaxText and Levanter "
                                  "are read: say model, batch and sharding as words of reckon "
                                  "predict");
    if ((has_part(name, "lora") || has_part(name, "qlora")) && !says_adapters(w, program))
        return run_script_fail_at(w, program,
                                  "by its name trains adapters, of which the command says nothing: "
                                  "give --set use_peft=true --set lora_r=N, or --set "
                                  "use_peft=false");
    for (int i = 0; learned[i]; i++)
        if (has_part(name, learned[i]) && !is_put(w, "rl")) return put(w, "rl", learned[i], NULL);
    return RK_OK;
}

/* ---- the whole ---- */

/* Does the script use $NAME? */
static bool uses(const char *script, const char *set)
{
    const size_t n = strcspn(set, "=");
    for (const char *p = strchr(script, '$'); p; p = strchr(p + 1, '$')) {
        const char *name = p + 1 + strspn(p + 1, "{#!");
        if (strncmp(name, set, n) == 0 && !isalnum((unsigned char)name[n]) && name[n] != '_')
            return true;
    }
    return false;
}

/* SLURM_JOB_NUM_NODES: a variable, which a file that the script sources may use; no key is spelled
 * so, nor as a place of the script, "@41:17". */
static bool is_environment(const char *set)
{
    if (*set == '@') return true;
    const size_t n = strspn(set, "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_");
    return n && set[n] == '=';
}

static enum rk_status read_shell(struct work *w, size_t size)
{
    const char *sets[MEGATRON_SLURM_SETS + MOST_SETS];
    size_t count = 0;
    megatron_slurm_read(&w->slurm, w->script->text, size);
    for (size_t i = 0; i < w->slurm.count; i++)
        sets[count++] = w->slurm.text[i];
    for (size_t i = 0; i < w->script->set_count; i++) {
        const char *set = w->script->sets[i];
        if ((uses(w->script->text, set) || is_environment(set)) &&
            count < sizeof sets / sizeof *sets)
            sets[count++] = set;
        else if (w->set_count < MOST_SETS)
            w->sets[w->set_count++] = w->script->sets[i];
    }
    w->own_sets = w->set_count;
    return shell_read(&w->shell, w->script->path, w->script->text, size, sets, count, w->error);
}

enum rk_status run_script_read(const struct plan_format *format, const struct config_source *script,
                               size_t size, struct rk_model *model, struct rk_plan *plan,
                               struct notes *notes, struct rk_error *error)
{
    struct work *w = calloc(1, sizeof *w);
    if (!w) return rk_fail(error, RK_NO_MEMORY, script->path, 0, 0, "out of memory");
    w->format = format;
    w->script = script;
    w->notes = notes;
    w->error = error;
    w->starter = run_script_starter(format->name);
    enum rk_status status =
        w->starter ? read_shell(w, size)
                   : rk_fail(error, RK_BAD_INPUT, script->path, 0, 0,
                             "is a shell script: for %s give the configuration that it names",
                             format->tool);
    if (status == RK_OK) status = run_script_choose(w);
    if (status == RK_OK && model) status = run_script_judge_imports(w);
    if (status == RK_OK && model) status = take_objective(w);
    if (status == RK_OK && model) status = read_words(w);
    if (status == RK_OK && model) status = read_plan(w, model, plan);
    for (size_t i = 0; i < w->kept_count; i++)
        free(w->kept[i]);
    shell_release(&w->shell);
    free(w);
    return status;
}
