/* ask.c - rk_command() for the host of the page (host.js): a question in JSON,
 *
 *     {"words": ["predict", "-m", "llama3.1-8b", "-s", "h100", "tp2 gbs64", "--format", "json"]}
 *
 * and the answer as the command prints it, byte by byte, on the standard streams, which the host
 * keeps. Files that words name are in the host's memory too. */
#include "cli/commands.h"
#include "cli/exit.h"
#include "cli/signals.h"
#include "cli/streams.h"
#include "report/html_assets.h"
#include <reckon/command.h>

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>

/* What pages of `reckon report` carry, the page of the browser has already. */
const char html_style[] = "", html_drawn[] = "", html_charts[] = "", html_script[] = "";

#define EXPORT(name) __attribute__((export_name(name)))

__attribute__((import_module("host"), import_name("progress"))) int
host_progress(double done, double total, double best_s);

static bool tell(void *context, uint64_t done, uint64_t total, double best_s)
{
    (void)context;
    return host_progress((double)done, (double)total, best_s);
}

void signals_go_to(void (*handler)(int number))
{
    (void)handler;
}

void signals_end(int number)
{
    (void)number;
}

bool streams_run(int (*run)(int count, char **words), int count, char **words,
                 struct rk_command_answer *answer)
{
    answer->code = run(count, words);
    return fflush(stdout) == 0 && fflush(stderr) == 0;
}

/* The words of a question; NULL: it is none. They live as long as `question`. */
static const char **words_of(const json_t *question, size_t *count)
{
    const json_t *list = json_object_get(question, "words"), *word;
    const char **words = calloc(json_array_size(list) + 1, sizeof *words);
    size_t i;
    *count = json_array_size(list);
    json_array_foreach(list, i, word)
    {
        if (words) words[i] = json_string_value(word);
        if (!words || words[i]) continue;
        free(words);
        return NULL;
    }
    return words;
}

/* What was wrong, as a JSON object; "null" when nothing was. Until the next question. */
static char *wrong;

static void keep_error(const struct rk_error *error)
{
    json_t *object = error->status == RK_OK
                         ? json_null()
                         : json_pack("{s:i, s:s, s:s, s:i, s:i, s:s}", "status", (int)error->status,
                                     "key", error->key, "path", error->path, "line", error->line,
                                     "column", error->column, "text", error->text);
    free(wrong);
    wrong = json_dumps(object, JSON_ENCODE_ANY);
    json_decref(object);
}

EXPORT("error") const char *ask_error(void)
{
    return wrong ? wrong : "null";
}

/* The exit status; the caller owns `question`. */
EXPORT("ask") int ask(const char *question)
{
    struct rk_command_answer answer = {.code = exit_code(RK_BAD_ARGUMENT)};
    json_t *root = json_loads(question, 0, NULL);
    size_t count = 0;
    const char **words = words_of(root, &count);
    if (words)
        rk_command((int)count, words, tell, NULL, &answer);
    else
        rk_fail(&answer.error, RK_BAD_ARGUMENT, NULL, 0, 0, "not a question: {\"words\": [...]}");
    const int code = answer.code;
    keep_error(&answer.error);
    rk_command_release(&answer);
    free(words);
    json_decref(root);
    return code;
}

/* A model or a system as the text of its file, or NULL with ask_error(). The caller frees it. */
static char *text_of(enum rk_status (*describe)(const char *, char **, struct rk_error *),
                     const char *name)
{
    struct rk_error error = {.status = RK_OK};
    char *text = NULL;
    if (describe(name, &text, &error) == RK_OK) error.status = RK_OK;
    keep_error(&error);
    return text;
}

EXPORT("model_text") char *ask_model_text(const char *name)
{
    return text_of(rk_model_text, name);
}

EXPORT("system_text") char *ask_system_text(const char *name)
{
    return text_of(rk_system_text, name);
}
