/* megatron_launch.c - which command of a script trains, and on how many GPUs. */
#include "base/text.h"
#include "megatron/deepspeed_hosts.h"
#include "megatron/megatron_args.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* ---- how many GPUs ---- */

/* What launchers say, under the names that they use. Slurm's are per node or in all. */
enum launch_number { NODES, PER_NODE, TASKS, LAUNCH_NUMBERS };

/* clang-format off */
static const struct launch_option {
    const char *launcher; /* the word that begins it; "#SBATCH" */
    const char *option;
    enum launch_number sets;
} launch_options[] = {
#define ROW(launcher, option, sets) {launcher, option, sets},
#include "tables/launchers.h"
#undef ROW
};
/* clang-format on */

enum { LAUNCH_OPTIONS = sizeof launch_options / sizeof *launch_options };

struct launch {
    uint64_t number[LAUNCH_NUMBERS];                  /* 0: not said */
    const struct shell_word *unknown[LAUNCH_NUMBERS]; /* said, but not known */
};

/* "8", "gpu:8", "gpu:h100:8": the number at the end; 0: none. */
static uint64_t trailing_number(const char *text)
{
    const char *digits = text + strlen(text);
    while (digits > text && isdigit((unsigned char)digits[-1]))
        digits--;
    if (!*digits || (digits > text && digits[-1] != ':')) return 0;
    const unsigned long long value = strtoull(digits, NULL, 10);
    return value <= 1000000000 ? value : 0;
}

static bool is_launcher(const char *word, const char *name)
{
    const char *base = strrchr(word, '/');
    base = base ? base + 1 : word;
    if (strcmp(name, "torchrun") == 0 && (strcmp(base, "torch.distributed.run") == 0 ||
                                          strcmp(base, "torch.distributed.launch") == 0))
        return true;
    return strcmp(base, name) == 0;
}

static void read_option(struct launch *launch, const struct launch_option *option,
                        const struct shell_word *words, size_t count, size_t i)
{
    const size_t n = strlen(option->option);
    const struct shell_word *word = &words[i];
    if (strncmp(word->text, option->option, n) != 0) return;
    const char *value = word->text[n] == '=' ? word->text + n + 1 : word->text + n;
    if (!*value && word->text[n] != '=') {
        if (i + 1 >= count) return;
        word = &words[i + 1];
        value = word->text;
    } else if (option->option[1] == '-' && word->text[n] != '=') {
        return; /* "--ntasks-per-node" is no "--ntasks" */
    }
    if (word->unknown)
        launch->unknown[option->sets] = word;
    else if (trailing_number(value)) {
        const bool slurm = strcmp(option->launcher, "srun") == 0; /* tasks or GPUs of a node */
        uint64_t *number = &launch->number[option->sets];
        if (!slurm || trailing_number(value) > *number) *number = trailing_number(value);
        launch->unknown[option->sets] = NULL;
    }
}

/* `deepspeed` runs on this node, unless it is told of others. */
static bool has_hosts(const struct shell_word *words, size_t count)
{
    static const char *const options[] = {"--hostfile", "-H", "--include", "-i", "--num_nodes"};
    for (size_t i = 0; i < count; i++)
        for (size_t k = 0; k < sizeof options / sizeof *options; k++)
            if (strncmp(words[i].text, options[k], strlen(options[k])) == 0) return true;
    return false;
}

/* `tune run` takes torchrun's options, and its defaults. */
static bool is_torchrun(const char *launcher)
{
    return strcmp(launcher, "torchrun") == 0 || strcmp(launcher, "tune") == 0;
}

/* The words in front of the program. The innermost launcher counts: it is read last. */
static const char *read_launchers(struct launch *launch, const struct shell_word *words,
                                  size_t count)
{
    const char *last = NULL;
    for (size_t i = 0; i < count; i++)
        for (int k = 0; k < LAUNCH_OPTIONS; k++) {
            if (!is_launcher(words[i].text, launch_options[k].launcher)) continue;
            const bool torch = is_torchrun(launch_options[k].launcher);
            if (torch && last != launch_options[k].launcher) /* one GPU unless it says more */
                *launch = (struct launch){.number = {1, 1, 0}};
            if (strcmp(launch_options[k].launcher, "deepspeed") == 0 && !has_hosts(words, count) &&
                last != launch_options[k].launcher)
                launch->number[NODES] = 1;
            last = launch_options[k].launcher;
            for (size_t j = i + 1; j < count; j++)
                read_option(launch, &launch_options[k], words, count, j);
        }
    return last;
}

/* ---- #SBATCH lines ---- */

/* clang-format off */
static const struct { const char *option; size_t offset; } slurm_options[] = {
    {"--nodes",           offsetof(struct megatron_slurm, nodes)},
    {"-N",                offsetof(struct megatron_slurm, nodes)},
    {"--ntasks",          offsetof(struct megatron_slurm, tasks)},
    {"-n",                offsetof(struct megatron_slurm, tasks)},
    {"--ntasks-per-node", offsetof(struct megatron_slurm, tasks_per_node)},
    {"--gpus-per-node",   offsetof(struct megatron_slurm, gpus_per_node)},
    {"--gres",            offsetof(struct megatron_slurm, gpus_per_node)},
    {"--gpus",            offsetof(struct megatron_slurm, gpus)},
    {"-G",                offsetof(struct megatron_slurm, gpus)},
};
/* clang-format on */

static void slurm_line(struct megatron_slurm *slurm, const char *line)
{
    for (size_t k = 0; k < sizeof slurm_options / sizeof *slurm_options; k++) {
        const size_t n = strlen(slurm_options[k].option);
        if (strncmp(line, slurm_options[k].option, n) != 0) continue;
        const bool apart = line[n] == '=' || line[n] == ' ' || line[n] == '\t';
        if (!apart && line[1] == '-') continue;
        char value[MEGATRON_SLURM_TEXT];
        const char *at = line + n + strspn(line + n, "= \t");
        snprintf(value, sizeof value, "%.*s", (int)strcspn(at, " \t\r#"), at);
        const uint64_t number = trailing_number(value);
        if (number) memcpy((char *)slurm + slurm_options[k].offset, &number, sizeof number);
    }
}

static void slurm_set(struct megatron_slurm *slurm, const char *name, uint64_t number)
{
    if (number && slurm->count < MEGATRON_SLURM_SETS)
        snprintf(slurm->text[slurm->count++], MEGATRON_SLURM_TEXT, "%s=%llu", name,
                 (unsigned long long)number);
}

void megatron_slurm_read(struct megatron_slurm *slurm, const char *text, size_t size)
{
    const char *end = text + size;
    *slurm = (struct megatron_slurm){.count = 0};
    for (const char *line = text; line < end;) {
        const char *stop = memchr(line, '\n', (size_t)(end - line));
        const size_t n = (size_t)((stop ? stop : end) - line);
        char copy[256];
        snprintf(copy, sizeof copy, "%.*s", (int)(n < sizeof copy ? n : sizeof copy - 1), line);
        if (strncmp(copy, "#SBATCH", 7) == 0) slurm_line(slurm, copy + 7 + strspn(copy + 7, " \t"));
        line += n + 1;
    }
    if (!slurm->tasks) slurm->tasks = slurm->nodes * slurm->tasks_per_node;
    slurm_set(slurm, "SLURM_NNODES", slurm->nodes);
    slurm_set(slurm, "SLURM_JOB_NUM_NODES", slurm->nodes);
    slurm_set(slurm, "SLURM_GPUS_ON_NODE", slurm->gpus_per_node);
    slurm_set(slurm, "SLURM_GPUS_PER_NODE", slurm->gpus_per_node);
    slurm_set(slurm, "SLURM_NTASKS_PER_NODE", slurm->tasks_per_node);
    slurm_set(slurm, "SLURM_NTASKS", slurm->tasks);
}

/* One rank a GPU: what is larger, where tasks start the ranks of a node themselves. */
static uint64_t slurm_gpus(const struct megatron_slurm *slurm)
{
    const uint64_t per_node = slurm->nodes * slurm->gpus_per_node;
    const uint64_t gpus = slurm->gpus > per_node ? slurm->gpus : per_node;
    return gpus > slurm->tasks ? gpus : slurm->tasks;
}

/* ---- the command ---- */

static bool is_program(const struct shell_word *word)
{
    const size_t n = strlen(word->text);
    return n > 3 && strcmp(word->text + n - 3, ".py") == 0;
}

/* Where the arguments of Megatron-LM begin in a command; count when it has none. */
static size_t arguments_begin(const struct shell_word *words, size_t count)
{
    size_t first = 0, program = count;
    while (first < count && (megatron_flag_find(words[first].text, NULL) < 0 ||
                             strncmp(words[first].text, "--", 2) != 0))
        first++;
    if (first == count) return count;
    for (size_t i = 0; i < first; i++)
        if (is_program(&words[i])) program = i;
    if (program == count) return first;
    return program + 1;
}

/* Enough to be the training run, and no tool that takes some of the same arguments. */
static bool has_sizes(const struct shell_word *words, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        char name[96];
        if (strncmp(words[i].text, "--", 2) != 0) continue;
        snprintf(name, sizeof name, "%.*s", (int)strcspn(words[i].text, "="), words[i].text);
        const int flag = megatron_flag_find(name, NULL);
        if (flag == MEGATRON_NUM_LAYERS_FLAG || flag == MEGATRON_HIDDEN_SIZE_FLAG ||
            flag == MEGATRON_MICRO_BATCH_FLAG || flag == MEGATRON_TP_FLAG ||
            flag == MEGATRON_YAML_CFG_FLAG)
            return true;
    }
    return false;
}

/* Commands that only show the words that they are given: `echo $CMD`, `pdsh -w HOSTS echo $CMD`. */
static const char *const printers[] = {"echo", "printf", "cat", "tee",  "logger", "tail",
                                       "head", "grep",   "sed", "tmux", "ls",     NULL};

/* What programs do, by a part of their path; the first that fits. `why` NULL: they train none. */
static const struct program {
    const char *part, *why;
} programs[] = {
#define ROW(part, why) {part, OR_NULL(why)},
#include "tables/programs.h"
#undef ROW
};

bool megatron_launch_prints(const struct shell_word *words, size_t count)
{
    const char *name = strrchr(words->text, '/');
    name = name ? name + 1 : words->text;
    for (int i = 0; printers[i]; i++)
        if (strcmp(name, printers[i]) == 0) return true;
    for (size_t i = 1; i < count; i++)
        if (strcmp(words[i].text, "echo") == 0) return true;
    return false;
}

/* The program in front of the arguments; NULL: it is not known. */
static const char *find_program(const struct shell_word *words, size_t begin)
{
    for (size_t i = begin; i-- > 0;)
        if (is_program(&words[i])) return words[i].text;
    return NULL;
}

/* tools/pretrain_codegeex.py trains, whatever its folder is. */
static const struct program *judge_program(const char *path)
{
    const char *slash = path ? strrchr(path, '/') : NULL, *name = slash ? slash + 1 : path;
    for (size_t i = 0; path && i < sizeof programs / sizeof *programs; i++)
        if (strstr(path, programs[i].part))
            return programs[i].why || strncmp(name, "pretrain_", 9) != 0 ? &programs[i] : NULL;
    return NULL;
}

static bool trains(const struct shell *shell, const struct shell_command *command)
{
    const struct shell_word *words = &shell->word[command->first];
    const size_t begin = arguments_begin(words, command->count);
    if (begin == command->count || !has_sizes(words + begin, command->count - begin)) return false;
    const struct program *program = judge_program(find_program(words, begin));
    return !megatron_launch_prints(words, begin) && (!program || program->why);
}

static bool same_words(const struct shell *shell, const struct shell_command *a,
                       const struct shell_command *b)
{
    if (a->count != b->count) return false;
    for (size_t i = 0; i < a->count; i++)
        if (strcmp(shell->word[a->first + i].text, shell->word[b->first + i].text) != 0)
            return false;
    return true;
}

/* What the launchers in front of a program say, or else the scheduler; 0: nothing says it. */
static enum rk_status count_gpus(const struct shell *shell, const struct launch *launch,
                                 const char *launcher, const struct megatron_slurm *slurm,
                                 uint64_t *gpus, const char **from, struct rk_error *error)
{
    const char *world = shell_variable(shell, "WORLD_SIZE");
    /* what starts torchrun by itself asks for these: ms-swift, LLaMA-Factory */
    const char *per_node = shell_variable(shell, "NPROC_PER_NODE");
    const char *nodes = shell_variable(shell, "NNODES");
    const bool torch = launcher && is_torchrun(launcher);
    for (int i = 0; torch && i < LAUNCH_NUMBERS; i++)
        if (launch->unknown[i]) return shell_fail_unknown(shell, launch->unknown[i], error);
    if (launch->number[TASKS]) {
        *gpus = launch->number[TASKS];
        *from = launcher;
    } else if (launch->number[NODES] && launch->number[PER_NODE]) {
        *gpus = launch->number[NODES] * launch->number[PER_NODE];
        *from = launcher;
    } else if (!launcher && per_node && trailing_number(per_node)) {
        *gpus = trailing_number(per_node) *
                (nodes && trailing_number(nodes) ? trailing_number(nodes) : 1);
        *from = "NPROC_PER_NODE";
    } else if (world && trailing_number(world)) {
        *gpus = trailing_number(world);
        *from = "WORLD_SIZE";
    } else if (slurm_gpus(slurm)) {
        *gpus = slurm_gpus(slurm);
        *from = "#SBATCH";
    }
    for (int i = 0; !*gpus && i < LAUNCH_NUMBERS; i++)
        if (launch->unknown[i]) return shell_fail_unknown(shell, launch->unknown[i], error);
    const char *visible = shell_variable(shell, "CUDA_VISIBLE_DEVICES");
    if (!*gpus && !torch && launch->number[NODES] < 2 && visible &&
        isdigit((unsigned char)*visible)) {
        *gpus = 1; /* of one node, which launchers use whole */
        for (const char *p = visible; *p; p++)
            *gpus += *p == ',' && isdigit((unsigned char)p[1]);
        *from = "CUDA_VISIBLE_DEVICES";
    }
    return RK_OK;
}

enum rk_status megatron_launch_gpus(const struct shell *shell, const struct shell_word *words,
                                    size_t begin, const struct megatron_slurm *slurm,
                                    uint64_t *gpus, const char **from, struct rk_error *error)
{
    struct launch launch = {.number = {0}};
    const char *launcher = read_launchers(&launch, words, begin);
    if (launcher && strcmp(launcher, "deepspeed") == 0) {
        const uint64_t here =
            deepspeed_hosts(shell, words, begin, launch.number[NODES], launch.number[PER_NODE]);
        if (here) launch.number[TASKS] = here;
    }
    return count_gpus(shell, &launch, launcher, slurm, gpus, from, error);
}

/* Texts of bare arguments: every line begins with one. */
static bool bare(const struct shell *shell)
{
    for (size_t i = 0; i < shell->commands; i++)
        if (shell->word[shell->command[i].first].text[0] != '-') return false;
    return shell->commands > 0;
}

static bool names_sizes(const char *text)
{
    return strstr(text, "--num-layers") || strstr(text, "--num_layers") ||
           strstr(text, "--hidden-size") || strstr(text, "--hidden_size") ||
           strstr(text, "--micro-batch-size") || strstr(text, "--micro_batch_size");
}

/* Arguments of a model in a variable that depends on something: that is what to ask for. */
static const struct shell_word *find_undecided(const struct shell *shell)
{
    for (size_t i = 0; i < shell->words; i++) {
        const size_t unknown = shell->word[i].unknown;
        const char *was = unknown ? shell->unknown[unknown - 1].was : NULL;
        if (was && names_sizes(was)) return &shell->word[i];
    }
    return NULL;
}

/* Launchers that are given a command line as one word: `ssh host "cd run && torchrun ..."`. */
static bool read_quoted(struct shell *shell)
{
    const size_t commands = shell->commands;
    for (size_t i = 0; i < commands; i++) {
        const struct shell_command command = shell->command[i];
        for (size_t k = 1;
             k < command.count && !megatron_launch_prints(&shell->word[command.first], k); k++) {
            const char *text = shell->word[command.first + k].text;
            if (strchr(text, ' ') && text[0] != '-' && names_sizes(text))
                shell_read_word(shell, i, k);
        }
    }
    return shell->commands > commands;
}

/* `pretrain_gpt.py $MEGATRON_PARAMS`: what has all of its arguments, where nothing sets it. */
static const struct shell_word *find_arguments(const struct shell *shell)
{
    for (size_t i = 0; i < shell->commands; i++) {
        const struct shell_word *words = &shell->word[shell->command[i].first];
        bool program = false;
        for (size_t k = 0; k < shell->command[i].count; k++) {
            if (program && words[k].unknown && words[k].empty_unknown) return &words[k];
            program |= is_program(&words[k]) && strstr(words[k].text, "pretrain_");
        }
    }
    return NULL;
}

/* A program that takes a model's arguments and does something else with it. */
static const char *find_tool(const struct shell *shell)
{
    for (size_t i = 0; i < shell->commands; i++) {
        const struct shell_word *words = &shell->word[shell->command[i].first];
        const size_t count = shell->command[i].count, begin = arguments_begin(words, count);
        const char *path = find_program(words, begin);
        const struct program *program = judge_program(path);
        if (program && !program->why && has_sizes(words + begin, count - begin)) return path;
    }
    return NULL;
}

static enum rk_status fail_none(const struct megatron_args *args, const struct shell *shell)
{
    const char *tool = find_tool(shell);
    if (tool)
        return rk_fail(args->error, RK_BAD_INPUT, shell->path, 0, 0,
                       "no command trains in this script: %s evaluates, converts or does a task "
                       "with a model of these sizes",
                       tool);
    const struct shell_word *undecided = find_undecided(shell);
    if (undecided) return shell_fail_unknown(shell, undecided, args->error);
    if (shell_fail_stopped(shell, args->error) != RK_OK) return args->error->status;
    const char *variable = shell_variable_with(shell, names_sizes);
    const char *program = shell_program(shell);
    const struct shell_word *arguments = find_arguments(shell);
    if (arguments) return shell_fail_unknown(shell, arguments, args->error);
    if (variable && program)
        return rk_fail(args->error, RK_BAD_INPUT, shell->path, 0, 0,
                       "starts %.120s, a program of no tool that reckon reads: say model, batch "
                       "and sharding as words of reckon predict",
                       program);
    if (variable)
        return rk_fail(args->error, RK_BAD_INPUT, shell->path, 0, 0,
                       "no command trains in this script: it only sets %s, arguments for the "
                       "script that reads it: give that one",
                       variable);
    const char *missing = shell_missing(shell);
    if (missing)
        return rk_fail(args->error, RK_BAD_INPUT, shell->path, 0, 0,
                       "no command trains in this script without %.100s, which it sources: have "
                       "that file there and set its folder with --set NAME=VALUE, or run it by "
                       "reckon capture -- bash FILE",
                       missing);
    return rk_fail(args->error, RK_BAD_INPUT, shell->path, 0, 0,
                   "no command with arguments of Megatron-LM (--num-layers, --micro-batch-size, "
                   "...) trains in this script%s",
                   shell->commands ? "" : ": it has no commands at all");
}

enum { MOST_VARIANTS = 64 };

/* "1 in line 40, 2 in line 52 after the condition of line 50" */
static enum rk_status list_variants(const struct megatron_args *args, const struct shell *shell,
                                    const struct shell_command *const *found, int count)
{
    char text[260] = "";
    size_t used = 0;
    for (int i = 0; i < count && used + 60 < sizeof text; i++) {
        const int line = shell->word[found[i]->first].place.line;
        used += (size_t)snprintf(text + used, sizeof text - used, "%s%d in line %d", i ? ", " : "",
                                 i + 1, line);
        if (found[i]->maybe)
            used += (size_t)snprintf(text + used, sizeof text - used,
                                     " after the condition of line %d", found[i]->condition.line);
    }
    return megatron_args_fail(args, &shell->word[found[1]->first],
                              "%d commands train (%s): choose with --variant 1 to %d", count, text,
                              count);
}

/* Do all of them train what models here do not describe? Then it is no matter which. */
static bool refuses_all(const struct shell *shell, const struct shell_command *const *found,
                        int count)
{
    for (int i = 0; i < count; i++) {
        const struct shell_word *words = &shell->word[found[i]->first];
        if (!judge_program(find_program(words, arguments_begin(words, found[i]->count))))
            return false;
    }
    return true;
}

static enum rk_status choose(const struct megatron_args *args, struct shell *shell, bool again,
                             const struct shell_command **chosen)
{
    const struct shell_command *found[MOST_VARIANTS];
    const int wanted = args->options->variant;
    int count = 0;
    for (size_t i = 0; i < shell->commands && count < MOST_VARIANTS; i++) {
        bool known = !trains(shell, &shell->command[i]);
        for (int k = 0; !known && k < count; k++) /* a second try, or the same in two branches */
            known = same_words(shell, found[k], &shell->command[i]);
        if (!known) found[count++] = &shell->command[i];
    }
    if (!count && !again && read_quoted(shell)) return choose(args, shell, true, chosen);
    if (!count) return fail_none(args, shell);
    if (wanted > count)
        return rk_fail(args->error, RK_BAD_ARGUMENT, NULL, 0, 0,
                       "--variant: only %d command%s train%s", count, count > 1 ? "s" : "",
                       count > 1 ? "" : "s");
    const bool covered = !refuses_all(shell, found, count);
    if (!wanted && count > 1 && covered) return list_variants(args, shell, found, count);
    *chosen = found[wanted ? wanted - 1 : 0];
    return RK_OK;
}

void megatron_launch_note_unset(const struct shell *shell, struct notes *notes)
{
    for (size_t i = 0; i < shell->assumptions; i++)
        notes_add(notes, NOTE_ASSUMED, shell->assumed[i].place.line, shell->assumed[i].place.column,
                  shell->assumed[i].name, "not set",
                  "the script asks for it and does not set it: give --set %s=VALUE otherwise",
                  shell->assumed[i].name);
}

enum rk_status megatron_launch(struct megatron_args *args, const struct megatron_slurm *slurm,
                               const struct shell_word **words, size_t *count)
{
    const struct shell *shell = args->shell;
    const struct shell_command *command = NULL;
    if (bare(shell)) {
        *words = shell->word;
        *count = shell->words;
        return RK_OK;
    }
    const enum rk_status status = choose(args, args->shell, false, &command);
    if (status != RK_OK) return status;
    const struct shell_word *all = &shell->word[command->first];
    const size_t begin = arguments_begin(all, command->count);
    const char *path = find_program(all, begin);
    const struct program *program = judge_program(path);
    for (size_t i = 0; i < begin; i++)
        if (strstr(all[i].text, "primus-cli") || strstr(all[i].text, "primus/cli/"))
            return megatron_args_fail(args, all,
                                      "this starts Primus, whose configuration has the rest: give "
                                      "the script to reckon import primus");
    if (program)
        return megatron_args_fail(args, all, "%s trains %s, which models here do not describe",
                                  path, program->why);
    *words = all + begin;
    *count = command->count - begin;
    megatron_launch_note_unset(shell, args->notes);
    if (command->maybe)
        notes_add(args->notes, NOTE_ASSUMED, command->condition.line, command->condition.column,
                  "the condition", "holds", "the run depends on a condition that is not known");
    if (args->gpus) return RK_OK; /* as the caller says */
    return megatron_launch_gpus(shell, all, begin, slurm, &args->gpus, &args->gpus_from,
                                args->error);
}
