#include "megatron/run_script.h"
#include "base/text.h"
#include "megatron/megatron_args.h"
#include "shell/shell.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_SETS = 512, MOST_FILES = 16 };

/* ---- what the tools' commands look like ---- */

/* clang-format off */
static const struct starter {
    const char *format;
    const char *programs; /* apart from any .py: "a|b"; a command without the file needs one of
                             these */
    const char *files;    /* options that name the configuration */
    bool operand;         /* or it is an operand */
    bool equals;          /* key=value are keys */
    bool counts;          /* the configuration itself tells how many GPUs */
    bool needs_file;      /* arguments alone make no run */
    const char *prefix;   /* of the keys that options stand for; NULL: none */
} starters[] = {
    {"deepspeed",     "",                                  "deepspeed|deepspeed_config", false, false, false, true, NULL},
    {"torchtitan",    "torchtitan.train",                  "job.config_file|config_file|model.config_file|module", false, false, false, true, NULL},
    {"accelerate",    "accelerate",                        "config_file", false, false, true, false, NULL},
    {"trainer",       "",                                  "config", true, false, false, false, NULL},
    {"axolotl",       "axolotl|axolotl.cli.train",         "", true, false, false, true, NULL},
    {"llama-factory", "llamafactory-cli|llama-factory",    "", true, true, false, false, NULL},
    {"ms-swift",      "swift",                             "config", true, false, false, false, NULL},
    {"torchtune",     "tune",                              "config", false, true, false, true, NULL},
    {"gpt-neox",      "deepy.py",                          "", true, false, false, true, NULL},
    {"nanotron",      "",                                  "config_file", false, false, true, true, NULL},
    {"nemo",          "",                                  "config_name", false, true, true, true, NULL},
    {"mindspeed-fsdp2", "",                                "", true, false, false, true, NULL},
    {"levanter",      "levanter.main.train_lm",            "config_path|config", false, false, false, true, NULL},
    {"maxtext",       "MaxText.train|maxtext.trainers.pre_train.train|MaxText.sft_trainer", "", true, true, false, true, NULL},
    {"primus",        "primus-cli|main.py",                "config|exp", false, false, false, true, "modules.pre_trainer.overrides."},
};
/* clang-format on */

static const char *const config_endings[] = {".yaml", ".yml", ".json", ".toml", NULL};
static const char *const script_endings[] = {".sh",   ".bash", ".sbatch", ".slurm",
                                             ".slrm", ".job",  ".sub",    NULL};

static bool ends_in_any(const char *text, const char *const *ends)
{
    for (int i = 0; ends[i]; i++)
        if (text_ends_in(text, ends[i])) return true;
    return false;
}

/* Is `text` one of "a|b"? */
static bool is_one(const char *names, const char *text)
{
    const size_t n = strlen(text);
    for (const char *p = names; *p;) {
        const size_t length = strcspn(p, "|");
        if (length == n && strncmp(p, text, n) == 0) return true;
        p += length + (p[length] == '|');
    }
    return false;
}

bool run_script_is(const char *path, const char *text)
{
    if (ends_in_any(path, config_endings)) return false;
    const size_t line = strcspn(text, "\n");
    const char *shell = strstr(text, "sh");
    return ends_in_any(path, script_endings) ||
           (strncmp(text, "#!", 2) == 0 && shell && shell < text + line);
}

/* ---- the work ---- */

struct work {
    const struct plan_format *format;
    const struct starter *starter;
    const struct config_source *script;
    struct shell shell;
    struct megatron_slurm slurm;
    struct notes *notes;
    struct rk_error *error;
    const struct shell_word *word; /* (count) of the command */
    size_t count, begin;           /* where its program's arguments do */
    size_t launcher;               /* `axolotl train FILE --launcher torchrun -- ...`: not 0 */
    const char *file[MOST_FILES], *folder;
    const struct shell_word *file_word[MOST_FILES];
    int files;
    const char *found;    /* path of the first of them, where the script does not write it */
    const char *training; /* of the program that accelerate launches; NULL: none */
    const struct shell_word *training_word;
    const char *sets[MOST_SETS]; /* "KEY=VALUE"; those of the caller first */
    size_t set_count, own_sets;
    struct key_given given[MOST_SETS];
    size_t given_count;
    char *kept[4 * MOST_SETS];
    size_t kept_count;
};

static char *keep(struct work *w, char *text)
{
    if (!text || w->kept_count == sizeof w->kept / sizeof *w->kept) {
        free(text);
        rk_fail(w->error, RK_NO_MEMORY, w->script->path, 0, 0, "out of memory");
        return NULL;
    }
    return w->kept[w->kept_count++] = text;
}

static enum rk_status fail_at(const struct work *w, const struct shell_word *word, const char *text)
{
    return rk_fail(w->error, RK_BAD_INPUT, w->script->path, word->place.line, word->place.column,
                   "%.80s %s", word->text, text);
}

/* "--per-device-x=4" : its name, with underscores; false: no option. */
static bool option_name(const char *text, char *name, size_t size)
{
    const size_t dashes = strspn(text, "-");
    if (!dashes || dashes > 2 || !isalpha((unsigned char)text[dashes])) return false;
    snprintf(name, size, "%.*s", (int)strcspn(text + dashes, "="), text + dashes);
    for (char *p = name; *p; p++)
        if (*p == '-') *p = '_';
    return true;
}

/* ---- which command ---- */

static bool is_program(const struct work *w, const struct shell_word *words, size_t i)
{
    const char *text = words[i].text, *base = strrchr(text, '/');
    base = base ? base + 1 : text;
    if (i && strcmp(words[i - 1].text, "-m") == 0)
        return strncmp(text, "torch.distributed", 17) != 0 && !strstr(text, "accelerate");
    return text_ends_in(base, ".py") || is_one(w->starter->programs, base);
}

static bool is_neox(const struct work *w)
{
    return strcmp(w->format->name, "gpt-neox") == 0;
}

/* accelerate's own options stand in front of the program. */
static bool is_accelerate(const struct work *w)
{
    return strcmp(w->format->name, "accelerate") == 0;
}

/* Index of the first word after the program; 0: there is none. */
static size_t arguments_begin(const struct work *w, const struct shell_word *words, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const bool launcher = is_accelerate(w) && !text_ends_in(words[i].text, ".py") &&
                              !(i && strcmp(words[i - 1].text, "-m") == 0);
        if (is_program(w, words, i) && !launcher) return i + 1;
    }
    return 0;
}

static bool names_file(const struct work *w, const struct shell_word *words, size_t first,
                       size_t count)
{
    char name[96];
    for (size_t i = first; i < count; i++) {
        if (option_name(words[i].text, name, sizeof name)) {
            if (is_one(w->starter->files, name)) return true;
        } else if (w->starter->operand && (ends_in_any(words[i].text, config_endings) ||
                                           (is_neox(w) && !text_ends_in(words[i].text, ".py")))) {
            return true;
        }
    }
    return false;
}

static bool has_batch(const struct shell_word *words, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (strncmp(words[i].text, "--per_device_train_batch_size", 29) == 0 ||
            strncmp(words[i].text, "--per-device-train-batch-size", 29) == 0 ||
            strncmp(words[i].text, "--gradient_accumulation_steps", 29) == 0)
            return true;
    return false;
}

/* `axolotl preprocess train.yaml`, `python merge_lora.py`, ... */
static bool does_else(const struct shell_word *words, size_t begin, size_t count)
{
    static const char *const parts[] = {"preprocess", "inference", "merge",  "evaluat", "lm_eval",
                                        "convert",    "generate",  "export", "eval.py", NULL};
    for (int i = 0; parts[i]; i++)
        if (strstr(words[begin - 1].text, parts[i]) ||
            (begin < count && words[begin].text[0] != '-' && strstr(words[begin].text, parts[i]) &&
             !ends_in_any(words[begin].text, config_endings)))
            return true;
    return false;
}

static bool trains(const struct work *w, const struct shell_command *command)
{
    const struct shell_word *words = &w->shell.word[command->first];
    const size_t begin = arguments_begin(w, words, command->count);
    if (!begin || megatron_launch_prints(words) || does_else(words, begin, command->count))
        return false;
    if (is_accelerate(w)) {
        for (size_t i = 0; i + 1 < begin; i++)
            if (is_one("accelerate|accelerate.commands.launch", words[i].text)) return true;
        return false;
    }
    return names_file(w, words, begin, command->count) ||
           (!w->starter->needs_file && has_batch(words, command->count));
}

static bool same_words(const struct work *w, const struct shell_command *command)
{
    if (command->count != w->count) return false;
    for (size_t i = 0; i < w->count; i++)
        if (strcmp(w->word[i].text, w->shell.word[command->first + i].text) != 0) return false;
    return true;
}

static enum rk_status choose(struct work *w)
{
    for (size_t i = 0; i < w->shell.commands; i++) {
        const struct shell_command *command = &w->shell.command[i];
        if (!trains(w, command) || (w->word && same_words(w, command))) continue;
        const struct shell_word *words = &w->shell.word[command->first];
        if (w->word)
            return rk_fail(w->error, RK_BAD_INPUT, w->script->path, words->place.line,
                           words->place.column,
                           "a second command trains, besides that of line %d: leave one of them",
                           w->word->place.line);
        w->word = words;
        w->count = command->count;
        w->begin = arguments_begin(w, words, command->count);
        for (size_t k = w->begin; w->starter->prefix && k < w->count; k++)
            if (strcmp(words[k].text, "--") == 0) w->begin = k + 1; /* of the launcher, before */
        if (command->maybe)
            notes_add(w->notes, NOTE_ASSUMED, command->condition.line, command->condition.column,
                      "the condition", "holds", "the run depends on a condition that is not known");
    }
    if (w->word) return RK_OK;
    if (shell_fail_stopped(&w->shell, w->error) != RK_OK) return w->error->status;
    return rk_fail(w->error, RK_BAD_INPUT, w->script->path, 0, 0,
                   "no command of this script starts %s%s%s", w->format->tool,
                   w->starter->needs_file ? " with a configuration file" : "",
                   shell_stopped(&w->shell) ? ": it ends by exit before. Give what its arguments "
                                              "would set with --set NAME=VALUE"
                   : w->shell.commands      ? ""
                                            : ": it has no commands at all");
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
    char *text = malloc(n + strlen(value) + 2);
    if (text) sprintf(text, "%s=%s", key, value);
    char *name = keep(w, strdup(key)), *why = NULL;
    if (unknown) {
        struct rk_error error;
        shell_fail_unknown(&w->shell, unknown, &error);
        why = malloc(sizeof error.text + 32);
        if (why) snprintf(why, sizeof error.text + 32, "line %d: %s", error.line, error.text);
        why = keep(w, why);
    }
    w->sets[at] = keep(w, text);
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
    if (w->files == MOST_FILES) return fail_at(w, word, "is one configuration too many");
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
    const char *kept = keep(w, strdup(path));
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

/* The words of one option, from `i`, are *used; the values are joined by spaces. */
static enum rk_status read_option(struct work *w, size_t i, size_t end, bool launch, char *name,
                                  size_t *used)
{
    const struct shell_word *word = &w->word[i], *unknown = word->unknown ? word : NULL;
    const char *equals = strchr(word->text, '=');
    char value[1024] = "", spare[96];
    *used = 1;
    if (equals) {
        snprintf(value, sizeof value, "%s", equals + 1);
    } else {
        while (i + *used < end && !option_name(w->word[i + *used].text, spare, sizeof spare)) {
            const struct shell_word *next = &w->word[i + *used];
            if (next->maybe) return shell_fail_unknown(&w->shell, next, w->error);
            if (next->unknown) unknown = next;
            const size_t n = strlen(value);
            if (n + strlen(next->text) + 2 > sizeof value) return fail_at(w, next, "is too long");
            snprintf(value + n, sizeof value - n, "%s%s", n ? " " : "", next->text);
            ++*used;
            if (launch) break;
        }
        if (*used == 1) snprintf(value, sizeof value, "%s", strip_no(name));
    }
    const struct shell_word *at = *used > 1 ? word + 1 : word;
    const bool nemo = strcmp(w->format->name, "nemo") == 0;
    if ((nemo && is_one("config_path|cp", name)) || (is_neox(w) && is_one("conf_dir|d", name))) {
        /* as `-d configs a.yml b.yml`: only the next word */
        if (at->unknown) return shell_fail_unknown(&w->shell, at, w->error);
        if (!equals && *used > 1) *used = 2;
        w->folder = equals ? equals + 1 : at->text;
        return RK_OK;
    }
    if ((is_one(w->starter->files, name) && !(is_accelerate(w) && !launch)) ||
        (nemo && strcmp(name, "cn") == 0)) {
        if (!equals && *used == 1) return RK_OK; /* `--deepspeed --deepspeed_config FILE` */
        if (!equals) *used = 2;
        if (strcmp(name, "module") == 0) return add_module(w, at, equals ? equals + 1 : at->text);
        return add_file(w, at, equals ? equals + 1 : at->text);
    }
    if (strcmp(w->format->name, "deepspeed") == 0) return RK_OK; /* of the caller's program */
    if (is_accelerate(w) && !launch && strcmp(name, "config") == 0) {
        if (at->unknown) return shell_fail_unknown(&w->shell, at, w->error);
        if (!equals && *used > 1) *used = 2;
        w->training = equals ? equals + 1 : at->text;
        w->training_word = at;
        return RK_OK;
    }
    if (is_accelerate(w) && launch) return put_launch(w, name, value, unknown);
    if (!w->starter->prefix) return put(w, name, value, unknown);
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
    if (w->starter->operand && (ends_in_any(word->text, config_endings) ||
                                (is_neox(w) && !text_ends_in(word->text, ".py") && w->folder)))
        return add_file(w, word, word->text);
    if (text_ends_in(word->text, ".py") || is_one("train|pretrain|sft|pt|rlhf", word->text))
        return RK_OK;
    if (strcmp(w->format->name, "deepspeed") == 0) return RK_OK;
    return fail_at(w, word, "is not understood in this command");
}

/* Settings of accelerate's own file would be left out: not where the command has others. */
static enum rk_status judge_launch(const struct work *w)
{
    char name[96];
    for (size_t i = 0; i < w->begin && !is_accelerate(w); i++)
        if (option_name(w->word[i].text, name, sizeof name) && !is_ignored(w, name) &&
            (is_one("config_file|use_fsdp|use_deepspeed", name) || strncmp(name, "fsdp_", 5) == 0 ||
             strcmp(name, "zero_stage") == 0))
            return fail_at(w, &w->word[i],
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
    if (is_accelerate(w)) /* after "launch" */
        while (i < w->begin && !is_one("launch|accelerate.commands.launch", w->word[i].text))
            i++;
    for (i = is_accelerate(w) ? i + 1 : w->begin; status == RK_OK && i < w->count; i += used) {
        const struct shell_word *word = &w->word[i];
        const bool launch = i < w->begin;
        used = 1;
        if (word->maybe) return shell_fail_unknown(&w->shell, word, w->error);
        if (strcmp(word->text, "--launcher") == 0) w->launcher = used = 2;
        if (w->launcher && strcmp(word->text, "--") == 0) break; /* of it, what follows */
        if (used == 2) continue;
        if (launch && (i + 1 == w->begin || strcmp(word->text, "-m") == 0)) continue;
        if (option_name(word->text, name, sizeof name))
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
            *name = keep(w, strdup(path));
            return *name ? RK_OK : w->error->status;
        }
    }
    return fail_at(w, word,
                   "is neither next to this script nor in a folder above it, and the script does "
                   "not write it");
}

static bool is_put(const struct work *w, const char *key)
{
    const size_t n = strlen(key);
    for (size_t i = 0; i < w->set_count; i++)
        if (strncmp(w->sets[i], key, n) == 0 && w->sets[i][n] == '=') return true;
    return false;
}

/* `accelerate launch sft.py --config FILE`: arguments, where the command has no others. */
static enum rk_status read_training(struct work *w)
{
    const char *text = NULL;
    struct settings more = {.count = 0};
    if (!w->training) return RK_OK;
    enum rk_status status = open_file(w, &w->training, w->training_word, &text);
    if (status == RK_OK) status = settings_read(&more, w->training, text, NULL, 0, w->error);
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
    if (status == RK_OK) status = read_training(w);
    if (status == RK_OK && w->files > 1 && !is_neox(w))
        return fail_at(w, w->file_word[1], "is a second configuration");
    if (status == RK_OK && w->files > 1) status = merge(w, text);
    if (status == RK_OK && !gpus && !w->starter->counts)
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
                                         .vocabulary = w->script->vocabulary,
                                         .script = &w->shell};
    if (w->script->find_model) status = w->script->find_model(&source, model, w->notes, w->error);
    if (status == RK_OK) status = w->format->read(&source, model, plan, w->notes, w->error);
    return status;
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

static enum rk_status read_shell(struct work *w, size_t size)
{
    const char *sets[MEGATRON_SLURM_SETS + MOST_SETS];
    size_t count = 0;
    megatron_slurm_read(&w->slurm, w->script->text, size);
    for (size_t i = 0; i < w->slurm.count; i++)
        sets[count++] = w->slurm.text[i];
    for (size_t i = 0; i < w->script->set_count; i++) {
        if (uses(w->script->text, w->script->sets[i]) && count < sizeof sets / sizeof *sets)
            sets[count++] = w->script->sets[i];
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
    for (size_t i = 0; i < sizeof starters / sizeof *starters; i++)
        if (strcmp(starters[i].format, format->name) == 0) w->starter = &starters[i];
    enum rk_status status =
        w->starter ? read_shell(w, size)
                   : rk_fail(error, RK_BAD_INPUT, script->path, 0, 0,
                             "is a shell script: for %s give the configuration that it names",
                             format->tool);
    if (status == RK_OK) status = choose(w);
    if (status == RK_OK) status = read_words(w);
    if (status == RK_OK) status = read_plan(w, model, plan);
    for (size_t i = 0; i < w->kept_count; i++)
        free(w->kept[i]);
    shell_release(&w->shell);
    free(w);
    return status;
}
