#include "keys/detect.h"

#include "base/text.h"
#include "keys/said.h"
#include "text/text_file.h"

#include <ctype.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Words are whole: letters, digits, "_" and "-" do not continue at their ends; "a+b" is a, then
 * blanks, then b. The first row that fits holds. What a comment or a description says is no sign.
 * Sources: the files that these tools' repositories publish, 2024 to 2026. */
/* clang-format off */
static const struct tool_sign signs[] = {
#define ROW(tool, what, format, words, instead) {tool, what, OR_NULL(format), words, OR_NULL(instead)},
#include "tables/tools.h"
#undef ROW
};
/* clang-format on */

static const char *const scripts[] = {".sh", ".bash", ".slurm", ".sbatch", NULL};

static bool goes_on(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

/* How much of the text the word takes; 0: it does not begin with it. */
static size_t taken(const char *text, const char *word, size_t length)
{
    const char *at = text;
    for (size_t i = 0; i < length; i++) {
        const size_t blanks = word[i] == '+' ? strspn(at, " \t") : 0;
        if (!blanks && *at != word[i]) return 0;
        at += blanks ? blanks : 1;
    }
    return (size_t)(at - text);
}

static bool has(const char *text, const char *word, size_t length)
{
    for (const char *at = text; (at = strchr(at, word[0])); at++) {
        const size_t n = taken(at, word, length);
        if (n && (at == text || !goes_on(at[-1]) || !goes_on(*word)) &&
            (!goes_on(at[n]) || !goes_on(word[length - 1])))
            return true;
    }
    return false;
}

/* One of "a b|c d", all words of it. */
static bool fits(const char *text, const char *words)
{
    bool all = true;
    while (*words) {
        const size_t length = strcspn(words, " |");
        all = all && has(text, words, length);
        words += length;
        if (*words != ' ' && all) return true;
        if (*words == '|') all = true;
        words += *words != '\0';
    }
    return false;
}

static bool is_prose(const char *string, size_t length)
{
    int spaces = 0;
    for (size_t i = 0; i < length; i++)
        spaces += string[i] == ' ';
    return spaces > 2;
}

/* The strings of JSON that are sentences, as blanks. */
static void blank_sentences(char *text)
{
    for (char *at = strchr(text, '"'); at; at = strchr(at + 1, '"')) {
        char *end = at + 1;
        while (*end && *end != '"')
            end += end[0] == '\\' && end[1] ? 2 : 1;
        if (!*end) return;
        if (is_prose(at + 1, (size_t)(end - at - 1))) memset(at + 1, ' ', (size_t)(end - at - 1));
        at = end;
    }
}

/* From a "#" at the beginning of a word to the end of the line. */
static void blank_comments(char *text)
{
    for (char *at = strchr(text, '#'); at; at = strchr(at + 1, '#')) {
        if (at > text && !isspace((unsigned char)at[-1])) continue;
        memset(at, ' ', strcspn(at, "\n"));
    }
}

/* `conda activate openrlhf`: an environment may have any tool's name. */
static void blank_environments(char *text)
{
    static const char word[] = "activate ";
    for (char *at = strstr(text, word); at; at = strstr(at, word)) {
        at += sizeof word - 1;
        memset(at, ' ', strcspn(at, "\n;&|"));
    }
}

static char *without_prose(const char *text)
{
    char *copy = strdup(text);
    if (copy && text[strspn(text, " \t\r\n")] == '{') {
        blank_sentences(copy);
    } else if (copy) {
        blank_comments(copy);
        blank_environments(copy);
    }
    return copy;
}

/* The first statement after comments and a docstring. */
static const char *first_statement(const char *text)
{
    while (true) {
        text += strspn(text, " \t\r\n");
        const bool docstring = strncmp(text, "\"\"\"", 3) == 0 || strncmp(text, "'''", 3) == 0;
        const char quotes[] = {*text, *text, *text, '\0'};
        const char *end = docstring ? strstr(text + 3, quotes) : NULL;
        if (*text == '#')
            text += strcspn(text, "\n");
        else if (end)
            text = end + 3;
        else
            return text;
    }
}

static bool is_python(const char *text)
{
    static const char *const starts[] = {"import ", "from ", "class ", "def ", "@"};
    const char *first = first_statement(text);
    for (size_t i = 0; i < sizeof starts / sizeof *starts; i++)
        if (strncmp(first, starts[i], strlen(starts[i])) == 0) return true;
    return false;
}

/* Programs may have any tool's keys among their names: only what is written in Python counts. */
static bool may_be(const struct tool_sign *sign, bool python, bool keys)
{
    if (keys && sign->format && strcmp(sign->what, "script") == 0) return false;
    static const char *const formats[] = {"torchtitan", "bridge-recipe", "olmo-core", "xtuner"};
    bool reads = !sign->format;
    for (size_t i = 0; !reads && i < sizeof formats / sizeof *formats; i++)
        reads = strcmp(sign->format, formats[i]) == 0;
    return !python || reads;
}

/* Are keys and values what it begins with, "kind: Job"? */
static bool has_keys(const char *text)
{
    const char *first = first_statement(text);
    const size_t n = strcspn(first, " \t\r\n");
    return n && (first[n - 1] == ':' || *first == '{' || strncmp(first, "---", 3) == 0);
}

/* The manifest in a script's here-document says less than what the script starts. */
static bool comes_last(const struct tool_sign *sign, bool keys)
{
    return !keys && strcmp(sign->what, "manifest") == 0;
}

const struct tool_sign *detect_tool(const char *text)
{
    static const struct tool_sign program = {
        "Python", "program", NULL, NULL,
        "give the configuration or the script that it is started with"};
    const size_t count = sizeof signs / sizeof *signs;
    char *copy = without_prose(text);
    const bool python = is_python(text), keys = has_keys(text);
    const struct tool_sign *found = NULL;
    for (size_t i = 0; !found && i < 2 * count; i++) {
        const struct tool_sign *sign = &signs[i % count];
        if (comes_last(sign, keys) == (i >= count) && may_be(sign, python, keys) &&
            fits(copy ? copy : text, sign->words))
            found = sign;
    }
    free(copy);
    return !found && python ? &program : found;
}

/* Only the lines of a program that import something. */
static void keep_imports(char *text)
{
    for (char *line = text; *line; line += *line == '\n') {
        const size_t n = strcspn(line, "\n"), blanks = strspn(line, " \t");
        if (strncmp(line + blanks, "import ", 7) != 0 && strncmp(line + blanks, "from ", 5) != 0)
            memset(line, ' ', n);
        line += n;
    }
}

const struct tool_sign *detect_imports(const char *text)
{
    char *copy = strdup(text);
    if (copy) keep_imports(copy);
    const struct tool_sign *sign = copy ? detect_tool(copy) : NULL;
    free(copy);
    return sign && sign->words ? sign : NULL;
}

/* "python3", "/usr/bin/torchrun", "torch.distributed.run" */
static bool starts_modules(const char *word, size_t length)
{
    static const char *const names[] = {"python", "torchrun", "torch.distributed", "accelerate",
                                        "deepspeed"};
    const char *name = word + length;
    while (name > word && name[-1] != '/')
        name--;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strncmp(name, names[i], strlen(names[i])) == 0) return true;
    return false;
}

/* Does a command end here? A line goes on after a backslash. */
static bool ends_command(const char *text, const char *at)
{
    return strchr(";&|()", *at) || (*at == '\n' && (at == text || at[-1] != '\\'));
}

/* `ps aux | grep pretrain.py`: what such a command is given is not started. */
static bool looks_only(const char *word, size_t length)
{
    static const char commands[] = " source . [ [[ test grep egrep pgrep pkill ps echo printf ls "
                                   "cp cat sed awk rm mkdir chmod tar git ";
    char text[16];
    snprintf(text, sizeof text, " %.*s ", length < 12 ? (int)length : 12, word);
    return length < 12 && strstr(commands, text);
}

/* `sudo cp train.py ...`: the command is what follows. */
static bool comes_before(const char *word, size_t length)
{
    static const char *const names[] = {"sudo", "exec", "nohup", "time", "env",
                                        "then", "do",   "else",  "if",   "elif"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strlen(names[i]) == length && strncmp(word, names[i], length) == 0) return true;
    return false;
}

/* "automaldesc.train", also where the launcher stands in another variable. */
static bool is_module(const char *word, size_t length)
{
    const char *dot = memchr(word, '.', length);
    if (!isalpha((unsigned char)*word) || !dot || dot == word + length - 1) return false;
    for (size_t i = 0; i < length; i++)
        if (word[i] != '.' && !goes_on(word[i])) return false;
    return true;
}

/* The length of "NAME=" before a value; 0: it is none. */
static size_t assigned(const char *word, size_t length)
{
    size_t n = 0;
    while (n < length && goes_on(word[n]))
        n++;
    return n && n < length && word[n] == '=' ? n + 1 : 0;
}

/* "src.sft.prepare_data" next to a program that trains */
static bool prepares(const char *word, size_t length)
{
    static const char *const parts[] = {"prepar", "preprocess", "download", "convert",
                                        "infer",  "eval",       "generate", "merge"};
    char name[128];
    snprintf(name, sizeof name, "%.*s", length < 127 ? (int)length : 127, word);
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        if (strstr(name, parts[i])) return true;
    return false;
}

/* The first word with this ending, or after -m, of a command that starts something. */
static size_t find_started(const char *text, const char *ending, bool any, const char **program)
{
    static const char between[] = " \t\r\n\"';&|()\\";
    bool starts = false, module = false, first = true, looks = false;
    for (const char *at = text; *at;) {
        const size_t n = strcspn(at, between);
        if (*at == '#') {
            at += strcspn(at, "\n");
        } else if (!n) {
            if (ends_command(text, at)) starts = module = looks = false, first = true;
            at++;
        } else {
            const bool starter = starts_modules(at, n);
            const size_t name = *at == '-' ? 0 : assigned(at, n); /* "TRAIN=run/train.py" */
            *program = at + name;
            looks |= first && looks_only(at, n);
            if (!looks && (any || !prepares(at, n)) &&
                ((module && !starter && (starts || is_module(at, n))) ||
                 (n > 3 && strncmp(at + n - 3, ending, 3) == 0 &&
                  (!name || strcmp(ending, ".py") == 0))))
                return n - name;
            module = (n == 2 && strncmp(at, "-m", 2) == 0) ||
                     (n == 8 && strncmp(at, "--module", 8) == 0);
            starts |= starter;
            first = name > 0 || (first && comes_before(at, n)); /* "TP=2 python train.py" */
            at += n;
        }
    }
    return 0;
}

size_t detect_program(const char *text, const char **program)
{
    const size_t length = find_started(text, ".py", false, program);
    return length ? length : find_started(text, ".py", true, program);
}

size_t detect_script(const char *path, const char *text, const char **program)
{
    const char *slash = strrchr(path, '/'), *own = slash ? slash + 1 : path;
    const size_t size = strlen(own);
    size_t length;
    for (const char *at = text; (length = find_started(at, ".sh", true, program)) != 0;
         at = *program + length)
        if (length < size || strncmp(*program + length - size, own, size) != 0 ||
            (length > size && (*program)[length - size - 1] != '/'))
            return length;
    return 0;
}

/* The configuration that the program's command names, after " --config" or alone. */
static size_t find_given(const char *program, const char **file)
{
    static const char *const endings[] = {".yaml", ".yml", ".toml"};
    for (const char *at = program; *at && (*at != '\n' || at[-1] == '\\'); at++) {
        const size_t n = strcspn(at, " \t\r\n\"'=;&|\\");
        for (size_t i = 0; i < sizeof endings / sizeof *endings; i++) {
            const size_t length = strlen(endings[i]);
            *file = at;
            if (n > length && strncmp(at + n - length, endings[i], length) == 0) return n;
        }
        at += n;
        if (!*at || strchr(";&|", *at)) return 0;
        if (*at == '\n' && at[-1] != '\\') return 0;
    }
    return 0;
}

enum { CONFIG_BYTES = 1 << 20 };

/* The configuration next to the script that it gives its program; NULL: there is none. Free it. */
static char *load_given(const char *path, const char *text)
{
    const char *program = NULL, *file = NULL;
    const size_t length = detect_program(text, &program);
    const size_t given = length ? find_given(program + length, &file) : 0;
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    const bool rooted = given && *file == '/';
    char beside[1024], *config = NULL;
    size_t size;
    struct rk_error ignored;
    for (int up = 0; given && up < (rooted ? 1 : 4); up++) { /* folders above, as run_script.c */
        const int n =
            snprintf(beside, sizeof beside, "%.*s%.*s%.*s", rooted ? 0 : (int)(name - path), path,
                     3 * up, "../../../", (int)given, file);
        if (n < (int)sizeof beside &&
            text_file_load(beside, CONFIG_BYTES, &config, &size, &ignored) == RK_OK)
            return config;
    }
    return NULL;
}

const struct tool_sign *detect_file(const char *path, const char *text)
{
    const struct tool_sign *sign = detect_tool(text), *given = NULL;
    const bool weak = !sign || (sign->format && strcmp(sign->format, "deepspeed") == 0 &&
                                !strstr(text, "--deepspeed"));
    char *config = weak && text_ends_in_any(path, scripts) ? load_given(path, text) : NULL;
    if (config) given = detect_tool(config);
    free(config);
    return given && given->format ? given : sign;
}

/* What its keys say by their names, where that is what is to be given instead. */
static const char *words_said(const char *text, const char *instead, char *words, size_t size)
{
    char found[400];
    *words = '\0';
    if (!text || (instead && !strstr(instead, "words"))) return words;
    char *copy = without_prose(text);
    said_words(copy ? copy : text, found, sizeof found);
    free(copy);
    if (*found) snprintf(words, size, "; its keys, by their names, say %s", found);
    return words;
}

void detect_fail(const struct tool_sign *sign, const char *path, const char *text,
                 struct rk_error *error)
{
    const char *program = NULL;
    const bool script = text && text_ends_in_any(path, scripts);
    const size_t length = script && !sign ? detect_program(text, &program) : 0;
    const size_t other = script && !sign && !length ? detect_script(path, text, &program) : 0;
    char said[480];
    words_said(text, sign ? sign->instead ? sign->instead : "" : NULL, said, sizeof said);
    const char *file = NULL;
    const size_t given = length ? find_given(program + length, &file) : 0;
    if (given)
        rk_fail(
            error, RK_BAD_INPUT, path, 0, 0,
            "starts %.*s, a program of no tool that reckon reads, with %.*s: give that file, or "
            "say model, batch and sharding as words of reckon predict",
            length < 120 ? (int)length : 120, program, given < 120 ? (int)given : 120, file);
    else if (length)
        rk_fail(error, RK_BAD_INPUT, path, 0, 0,
                "starts %.*s, a program of no tool that reckon reads: say model, batch and "
                "sharding as words of reckon predict; or give the format, reckon import FORMAT "
                "FILE",
                length < 120 ? (int)length : 120, program);
    else if (other)
        rk_fail(error, RK_BAD_INPUT, path, 0, 0, "starts the script %.*s: give that one",
                other < 120 ? (int)other : 120, program);
    else if (!sign)
        rk_fail(error, RK_BAD_INPUT, path, 0, 0,
                "is not known to be a file of any tool that reckon reads: give the format, reckon "
                "import FORMAT FILE (reckon import --help lists them), or say model, batch "
                "and degrees as words of reckon predict%s%s",
                said, script ? "; reckon capture -- bash FILE records what it starts" : "");
    else
        rk_fail(error, RK_BAD_INPUT, path, 0, 0, "this is %s %s %s; reckon does not read it%s%s%s",
                strchr("AEIOXaeio", sign->tool[0]) || strncmp(sign->tool, "ML", 2) == 0 ||
                        strncmp(sign->tool, "LCM", 3) == 0 || strncmp(sign->tool, "llm", 3) == 0 ||
                        strncmp(sign->tool, "LLM", 3) == 0
                    ? "an"
                    : "a",
                sign->tool, sign->what, sign->instead ? ": " : "",
                sign->instead ? sign->instead : "", said);
}

enum rk_status detect_document(const char *path, struct rk_error *error)
{
    static const char *const endings[] = {".md", ".rst", ".html", ".pdf", NULL};
    if (!text_ends_in_any(path, endings)) return RK_OK;
    return rk_fail(error, RK_BAD_INPUT, path, 0, 0,
                   "is documentation: give the script or the configuration that it shows");
}

const char *detect_article(const char *what)
{
    return strchr("aeio", what[0]) ? "an" : "a";
}
