/* complete.c - completion scripts for bash, zsh and fish from the tables of options.
 *
 * Ids of models and systems are asked from the program itself (reckon __list), so that a catalog
 * of one's own completes as well. */
#include "cli/options.h"

#include <string.h>

/* A command with options of its own: "predict", "calculon llm". */
typedef void each_fn(FILE *out, const char *path, const struct usage *usage);

static void each_command(FILE *out, const struct command *commands, const char *above,
                         each_fn *each)
{
    for (const struct command *c = commands; c->name; c++) {
        char path[128];
        if (!c->usage) continue;
        snprintf(path, sizeof path, "%s%s%s", above, *above ? " " : "", c->name);
        if (c->usage->commands)
            each_command(out, c->usage->commands, path, each);
        else
            each(out, path, c->usage);
    }
}

static bool takes_value(const struct option *option)
{
    return option->type != OPTION_FLAG && option->type != OPTION_HELP;
}

static bool is_listed(const char *complete)
{
    return complete && (strcmp(complete, "models") == 0 || strcmp(complete, "systems") == 0 ||
                        strcmp(complete, "plan") == 0);
}

/* Words for an option's value, with spaces between; empty when there are none. */
static void value_words(const struct option *option, char *buffer, size_t size)
{
    size_t used = 0;
    buffer[0] = '\0';
    for (int i = 0; option->choices && option->choices[i] && used < size; i++)
        used += (size_t)snprintf(buffer + used, size - used, "%s%s", used ? " " : "",
                                 option->choices[i]);
    for (const struct option_alias *a = option->aliases; a && a->text && used < size; a++)
        if (!option->choices)
            used += (size_t)snprintf(buffer + used, size - used, "%s%s", used ? " " : "", a->text);
}

/* `text` between single quotes for any of the shells, without `special` characters. */
static void put_quoted(FILE *out, const char *text, const char *special)
{
    for (; *text; text++) {
        if (*text == '\'')
            fputs("'\\''", out);
        else if (strchr(special, *text))
            fprintf(out, "\\%c", *text);
        else
            fputc(*text, out);
    }
}

static void command_words(FILE *out, const struct command *commands)
{
    const char *space = "";
    for (const struct command *c = commands; c->name; c++) {
        if (!c->usage) continue;
        fprintf(out, "%s%s", space, c->name);
        space = " ";
    }
}

/* ---- bash ---- */

static void bash_values(FILE *out, const char *path, const struct option *option)
{
    char words[256];
    value_words(option, words, sizeof words);
    if (!words[0] && !option->complete) return;
    fprintf(out, "        '%s --%s'", path, option->name);
    if (option->letter) fprintf(out, " | '%s -%c'", path, option->letter);
    if (is_listed(option->complete))
        fprintf(out, ") _reckon_words \"$(reckon __list %s 2>/dev/null)\" && return ;;\n",
                option->complete);
    else if (option->complete)
        fputs(") _reckon_files && return ;;\n", out);
    else
        fprintf(out, ") _reckon_words '%s' && return ;;\n", words);
}

static void bash_command_values(FILE *out, const char *path, const struct usage *usage)
{
    for (const struct option_group *group = usage->groups; group->rows; group++)
        for (const struct option *row = group->rows; row->name; row++)
            bash_values(out, path, row);
}

static void bash_operands(FILE *out, const struct operand *operands)
{
    const bool several = operands && operands->name && operands[1].name;
    const char *space = "";
    if (several) fputc('\'', out);
    for (const struct operand *o = operands; o && o->name; o++) {
        if (!o->complete) continue;
        fprintf(out, "%s%s", space, o->complete);
        space = " ";
    }
    if (several) fputc('\'', out);
}

static void bash_command_flags(FILE *out, const char *path, const struct usage *usage)
{
    const char *space = "";
    fprintf(out, "        '%s') flags='", path);
    for (const struct option_group *group = usage->groups; group->rows; group++)
        for (const struct option *row = group->rows; row->name; row++) {
            fprintf(out, "%s--%s", space, row->name);
            space = " ";
        }
    fputs("' operand=", out);
    bash_operands(out, usage->operands);
    fputs(" ;;\n", out);
}

static void bash_commands_below(FILE *out, const struct command *commands)
{
    for (const struct command *c = commands; c->name; c++) {
        if (!c->usage || !c->usage->commands) continue;
        fprintf(out, "        %s)\n            [ \"$COMP_CWORD\" -eq 2 ] && _reckon_words '",
                c->name);
        command_words(out, c->usage->commands);
        fputs("' && return\n            path=\"$path ${COMP_WORDS[2]}\" ;;\n", out);
    }
}

static void print_bash(FILE *out, const struct command *commands)
{
    fputs("# bash completion of reckon; made by reckon __complete bash: do not edit.\n"
          "_reckon_words() { mapfile -t COMPREPLY < <(compgen -W \"$1\" -- \"$cur\"); }\n"
          "_reckon_files() { compopt -o filenames; mapfile -t COMPREPLY < <(compgen -f -- "
          "\"$cur\"); }\n"
          "# Offers what operands there still are: a machine after the model, and neither twice.\n"
          "_reckon_operands() {\n"
          "    local o w list offered='' open=''\n"
          "    for o in $operand; do\n"
          "        list=$(reckon __list \"$o\" 2>/dev/null)\n"
          "        case $o in models | systems)\n"
          "            [ \"$open\" ] && continue\n"
          "            for w in \"${COMP_WORDS[@]:2:COMP_CWORD - 2}\"; do\n"
          "                case $o:$w in models:-m | models:--model | systems:-s | "
          "systems:--system) continue 2 ;; esac\n"
          "                [[ $'\\n'$list$'\\n' = *$'\\n'\"${w%% *}\"$'\\n'* ]] && continue 2\n"
          "            done\n"
          "            open=yes ;;\n"
          "        esac\n"
          "        offered+=\" $list\"\n"
          "    done\n"
          "    _reckon_words \"$offered\"\n"
          "}\n"
          "_reckon() {\n"
          "    local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD - 1]}\n"
          "    local path=${COMP_WORDS[1]} flags='' operand=''\n"
          "    if [ \"$cur\" = '=' ]; then\n"
          "        cur=''\n"
          "    elif [ \"$prev\" = '=' ]; then\n"
          "        prev=${COMP_WORDS[COMP_CWORD - 2]}\n"
          "    fi\n"
          "    if [ \"$COMP_CWORD\" -eq 1 ]; then\n"
          "        _reckon_words '",
          out);
    command_words(out, commands);
    fputs(" help --help --version'\n        return\n    fi\n    case $path in\n", out);
    bash_commands_below(out, commands);
    fputs("    esac\n    case \"$path $prev\" in\n", out);
    each_command(out, commands, "", bash_command_values);
    fputs("    esac\n    case $path in\n", out);
    each_command(out, commands, "", bash_command_flags);
    fputs("    esac\n"
          "    case $cur:$operand in\n"
          "        -*) _reckon_words \"$flags\" ;;\n"
          "        *:file) _reckon_files ;;\n"
          "        *:?*) _reckon_operands ;;\n"
          "        *) _reckon_words \"$flags\" ;;\n"
          "    esac\n"
          "}\n"
          "complete -F _reckon reckon\n",
          out);
}

/* ---- zsh ---- */

static void zsh_action(FILE *out, const char *complete, const char *words)
{
    if (is_listed(complete))
        fprintf(out, "{compadd -- $(reckon __list %s 2>/dev/null)}", complete);
    else if (complete)
        fputs("_files", out);
    else if (words[0])
        fprintf(out, "(%s)", words);
}

static void zsh_option(FILE *out, const struct usage *usage, const struct option *option)
{
    char words[256];
    const char *equals = takes_value(option) ? "=" : "";
    value_words(option, words, sizeof words);
    if (option->letter)
        fprintf(out, "                '(-%c --%s)'{-%c%s,--%s%s}'[", option->letter, option->name,
                option->letter, takes_value(option) ? "+" : "", option->name, equals);
    else
        fprintf(out, "                '--%s%s[", option->name, equals);
    put_quoted(out, option_help(usage, option->name, option->help), "[]:");
    fputc(']', out);
    if (takes_value(option)) {
        fprintf(out, ":%s:", option->name);
        zsh_action(out, option->complete, words);
    }
    fputs("' \\\n", out);
}

static void zsh_command(FILE *out, const char *path, const struct usage *usage)
{
    int number = 1;
    fprintf(out, "        '%s')\n            _arguments -s \\\n", path);
    for (const struct option_group *group = usage->groups; group->rows; group++)
        for (const struct option *row = group->rows; row->name; row++)
            zsh_option(out, usage, row);
    for (const struct operand *o = usage->operands; o && o->name; o++) {
        if (o->optional == OPERAND_MANY)
            fprintf(out, "                '*:%s:", o->name);
        else
            fprintf(out, "                '%d:%s:", number++, o->name);
        zsh_action(out, o->complete, "");
        fputs("' \\\n", out);
    }
    fputs("                && return 0 ;;\n", out);
}

static void zsh_describe(FILE *out, const struct command *commands)
{
    for (const struct command *c = commands; c->name; c++) {
        if (!c->usage) continue;
        fprintf(out, " '%s:", c->name);
        put_quoted(out, c->summary, ":");
        fputc('\'', out);
    }
}

static void print_zsh(FILE *out, const struct command *commands)
{
    fputs("#compdef reckon\n"
          "# zsh completion of reckon; made by reckon __complete zsh: do not edit.\n"
          "_reckon() {\n"
          "    local -a names\n"
          "    local where=${words[2]}\n"
          "    if (( CURRENT == 2 )); then\n"
          "        names=(",
          out);
    zsh_describe(out, commands);
    fputs(" )\n        _describe command names\n        return\n    fi\n"
          "    shift words\n    (( CURRENT-- ))\n    case $where in\n",
          out);
    for (const struct command *c = commands; c->name; c++) {
        if (!c->usage || !c->usage->commands) continue;
        fprintf(out,
                "        %s)\n            if (( CURRENT == 2 )); then\n                names=(",
                c->name);
        zsh_describe(out, c->usage->commands);
        fputs(
            " )\n                _describe command names\n                return\n            fi\n"
            "            where=\"$where ${words[2]}\"\n"
            "            shift words\n            (( CURRENT-- )) ;;\n",
            out);
    }
    fputs("    esac\n    case $where in\n", out);
    each_command(out, commands, "", zsh_command);
    fputs("    esac\n}\n_reckon \"$@\"\n", out);
}

/* ---- fish ---- */

static void fish_condition(FILE *out, const char *path)
{
    const char *space = strchr(path, ' ');
    fputs("complete -c reckon -n '", out);
    if (space)
        fprintf(out, "__fish_seen_subcommand_from %.*s; and __fish_seen_subcommand_from %s",
                (int)(space - path), path, space + 1);
    else
        fprintf(out, "__fish_seen_subcommand_from %s", path);
    fputc('\'', out);
}

static void fish_action(FILE *out, const char *complete, const char *words)
{
    if (is_listed(complete))
        fprintf(out, " -x -a '(reckon __list %s 2>/dev/null)'", complete);
    else if (complete)
        fputs(" -r -F", out);
    else if (words[0])
        fprintf(out, " -x -a '%s'", words);
    else
        fputs(" -x", out);
}

static void fish_command(FILE *out, const char *path, const struct usage *usage)
{
    char words[256];
    for (const struct option_group *group = usage->groups; group->rows; group++)
        for (const struct option *row = group->rows; row->name; row++) {
            value_words(row, words, sizeof words);
            fish_condition(out, path);
            fprintf(out, " -l %s", row->name);
            if (row->letter) fprintf(out, " -s %c", row->letter);
            if (takes_value(row)) fish_action(out, row->complete, words);
            fputs(" -d '", out);
            put_quoted(out, option_help(usage, row->name, row->help), "");
            fputs("'\n", out);
        }
    for (const struct operand *o = usage->operands; o && o->name; o++) {
        if (!o->complete) continue;
        fish_condition(out, path);
        fish_action(out, o->complete, "");
        fputc('\n', out);
    }
}

static void fish_names(FILE *out, const struct command *commands, const char *condition)
{
    for (const struct command *c = commands; c->name; c++) {
        if (!c->usage) continue;
        fprintf(out, "complete -c reckon -n '%s' -a %s -d '", condition, c->name);
        put_quoted(out, c->summary, "");
        fputs("'\n", out);
    }
}

static void print_fish(FILE *out, const struct command *commands)
{
    fputs("# fish completion of reckon; made by reckon __complete fish: do not edit.\n"
          "complete -c reckon -f\n",
          out);
    fish_names(out, commands, "__fish_use_subcommand");
    for (const struct command *c = commands; c->name; c++) {
        char condition[256];
        size_t used;
        if (!c->usage || !c->usage->commands) continue;
        used = (size_t)snprintf(condition, sizeof condition,
                                "__fish_seen_subcommand_from %s; and not "
                                "__fish_seen_subcommand_from",
                                c->name);
        for (const struct command *below = c->usage->commands;
             below->name && used < sizeof condition; below++)
            if (below->usage)
                used +=
                    (size_t)snprintf(condition + used, sizeof condition - used, " %s", below->name);
        fish_names(out, c->usage->commands, condition);
    }
    each_command(out, commands, "", fish_command);
}

bool options_print_completion(FILE *out, const char *shell, const struct command *commands)
{
    static const struct {
        const char *name;
        void (*print)(FILE *, const struct command *);
    } shells[] = {{"bash", print_bash}, {"zsh", print_zsh}, {"fish", print_fish}};
    for (size_t i = 0; i < sizeof shells / sizeof *shells; i++)
        if (strcmp(shells[i].name, shell) == 0) {
            shells[i].print(out, commands);
            return true;
        }
    return false;
}
