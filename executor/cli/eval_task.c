#include "cli/eval_task.h"

#include "base/hash.h"
#include "base/memory.h"
#include "text/document.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

/* ---- questions ---- */

enum { CHOICES_MOST = 256, SHOTS_MOST = 1000 };

struct question {
    json_t *root;
    uint64_t line;
    struct bytes prompt;  /* by the template */
    const json_t *choice; /* array; NULL: none */
    size_t right;         /* among them */
    const char *answer;   /* the right one's text */
};

struct questions {
    char path[256];
    struct question *of;
    size_t count;
};

static void questions_release(struct questions *q)
{
    for (size_t i = 0; i < q->count; i++) {
        json_decref(q->of[i].root);
        bytes_release(&q->of[i].prompt);
    }
    free(q->of);
    *q = (struct questions){.of = NULL};
}

static enum rk_status wrong(const struct questions *q, uint64_t line, struct rk_error *error,
                            const char *what)
{
    return rk_fail(error, RK_BAD_INPUT, q->path, (int)line, 0, "%s", what);
}

static bool add_member(const json_t *value, struct bytes *out)
{
    char number[64];
    if (json_is_string(value))
        return bytes_add(out, json_string_value(value), json_string_length(value));
    if (json_is_integer(value))
        snprintf(number, sizeof number, "%lld", (long long)json_integer_value(value));
    else
        snprintf(number, sizeof number, "%.17g", json_real_value(value));
    return bytes_add(out, number, strlen(number));
}

/* Fills {{member}} of a template. */
static enum rk_status fill(const struct questions *q, struct question *one, const char *form,
                           struct rk_error *error)
{
    bool ok = true;
    while (ok && *form) {
        const char *open = strstr(form, "{{");
        const char *close = open ? strstr(open, "}}") : NULL;
        if (!close) {
            ok = bytes_add(&one->prompt, form, strlen(form));
            break;
        }
        char name[64] = "";
        const size_t length = (size_t)(close - open - 2);
        if (length < sizeof name) memcpy(name, open + 2, length);
        const json_t *value = json_object_get(one->root, name);
        if (!json_is_string(value) && !json_is_number(value))
            return rk_fail(error, RK_BAD_INPUT, q->path, (int)one->line, 0,
                           "\"%.*s\", which the template names, is not text or number of this line",
                           (int)(length < 60 ? length : 60), open + 2);
        ok =
            bytes_add(&one->prompt, form, (size_t)(open - form)) && add_member(value, &one->prompt);
        form = close + 2;
    }
    return ok ? RK_OK : rk_fail(error, RK_NO_MEMORY, q->path, 0, 0, "no memory for the questions");
}

static enum rk_status find_answer(const struct questions *q, struct question *one,
                                  struct rk_error *error)
{
    const json_t *answer = json_object_get(one->root, "answer");
    const json_t *choices = json_object_get(one->root, "choices");
    if (!choices || json_is_null(choices)) {
        if (!json_is_string(answer) || !json_string_length(answer))
            return wrong(q, one->line, error,
                         "\"answer\" must be a text: there are no \"choices\"");
        one->answer = json_string_value(answer);
        return RK_OK;
    }
    const size_t count = json_array_size(choices);
    if (count < 2 || count > CHOICES_MOST)
        return wrong(q, one->line, error, "\"choices\" must be a list of 2 to 256 texts");
    one->choice = choices;
    one->right = count;
    for (size_t i = 0; i < count; i++) {
        const json_t *choice = json_array_get(choices, i);
        if (!json_is_string(choice) || !json_string_length(choice))
            return wrong(q, one->line, error, "each of \"choices\" must be a text, not empty");
        if (json_is_string(answer) && one->right == count && json_equal(choice, answer))
            one->right = i;
    }
    if (json_is_integer(answer) && json_integer_value(answer) >= 0 &&
        json_integer_value(answer) < (json_int_t)count)
        one->right = (size_t)json_integer_value(answer);
    if (one->right == count)
        return wrong(q, one->line, error,
                     "\"answer\" must be one of \"choices\", or its place counted from 0");
    one->answer = json_string_value(json_array_get(choices, one->right));
    return RK_OK;
}

static enum rk_status add_question(struct questions *q, const char *text, size_t size,
                                   uint64_t line, const char *form, struct rk_error *error)
{
    json_error_t why;
    if (!ARRAY_ROOM(q->of, q->count))
        return rk_fail(error, RK_NO_MEMORY, q->path, 0, 0, "no memory for the questions");
    json_t *root = json_loadb(text, size, JSON_REJECT_DUPLICATES, &why);
    if (!root) return rk_fail(error, RK_BAD_INPUT, q->path, (int)line, why.column, "%s", why.text);
    struct question *one = &q->of[q->count++];
    *one = (struct question){.root = root, .line = line};
    if (!json_is_object(root))
        return wrong(q, line, error,
                     "must be an object: {\"context\": \"...\", \"choices\": [\"...\", \"...\"], "
                     "\"answer\": 0}");
    const enum rk_status status = find_answer(q, one, error);
    return status == RK_OK ? fill(q, one, form, error) : status;
}

static enum rk_status read_questions(const char *path, const char *form, struct questions *q,
                                     struct rk_error *error)
{
    char *all = NULL;
    size_t bytes = 0;
    enum rk_status status = document_text(path, &all, &bytes, error);
    snprintf(q->path, sizeof q->path, "%s", path);
    const char *text = all, *end = all ? all + bytes : NULL;
    for (uint64_t line = 1; status == RK_OK && text < end; line++) {
        const char *feed = memchr(text, '\n', (size_t)(end - text));
        const size_t size = (size_t)((feed ? feed : end) - text);
        if (strspn(text, " \t\r\n") < size) status = add_question(q, text, size, line, form, error);
        text += feed ? size + 1 : size;
    }
    free(all);
    if (status == RK_OK && !q->count)
        status = rk_fail(error, RK_BAD_INPUT, path, 0, 0, "has no line with a question");
    return status;
}

/* ---- prompts ---- */

struct shots {
    const struct questions *from;
    bool same; /* the questions themselves: each leaves itself out */
    uint64_t count, seed;
};

static bool is_space(char c)
{
    return c == ' ' || c == '\n' || c == '\t' || c == '\r';
}

/* One space stands between a prompt and its answer, unless white space is there already. */
static bool add_answer(struct bytes *text, const char *answer)
{
    const bool spaced = !text->size || is_space(text->data[text->size - 1]) || is_space(*answer);
    return (spaced || bytes_add(text, " ", 1)) && bytes_add(text, answer, strlen(answer));
}

/* `count` different examples, drawn by seed and the question's place. */
static bool add_shots(const struct shots *shots, size_t item, struct bytes *text)
{
    size_t drawn[SHOTS_MOST];
    const uint64_t key = hash_pair(shots->seed, item);
    uint64_t n = 0;
    for (size_t i = 0; i < shots->count;) {
        const size_t one = (size_t)(hash_pair(key, n++) % shots->from->count);
        bool again = shots->same && one == item;
        for (size_t j = 0; j < i; j++)
            again |= drawn[j] == one;
        if (again) continue;
        drawn[i++] = one;
        const struct question *q = &shots->from->of[one];
        struct bytes example = {.data = NULL};
        const bool ok = bytes_add(&example, q->prompt.data, q->prompt.size) &&
                        add_answer(&example, q->answer) && bytes_add(&example, "\n\n", 2) &&
                        bytes_add(text, example.data, example.size);
        bytes_release(&example);
        if (!ok) return false;
    }
    return true;
}

/* ---- sequences ---- */

struct builder {
    const struct eval_model *model;
    const struct questions *questions;
    struct tokenizer_scratch scratch;
    struct eval_set set;
    struct eval_task *result;
};

static bool encode(struct builder *b, const struct bytes *text, struct token_list *ids)
{
    return tokenizer_encode(&b->model->tokenizer, &b->scratch, text->data ? text->data : "",
                            text->size, ids);
}

/* The answer's tokens are those of prompt and answer together, from where they differ from the
 * prompt's alone. What does not fit goes from the prompt's begin. */
static enum rk_status add_choice(struct builder *b, const struct question *q,
                                 const struct bytes *prompt, const char *answer, bool *cut,
                                 struct rk_error *error)
{
    const struct eval_model *m = b->model;
    struct token_list alone = {.id = NULL}, whole = {.id = NULL};
    struct bytes text = {.data = NULL};
    bool ok = bytes_add(&text, prompt->data, prompt->size) && add_answer(&text, answer) &&
              encode(b, prompt, &alone) && encode(b, &text, &whole);
    size_t same = 0;
    while (ok && same < alone.count && same + 1 < whole.count && alone.id[same] == whole.id[same])
        same++;
    const size_t tokens = whole.count - same;
    enum rk_status status = RK_OK;
    for (size_t i = 0; ok && status == RK_OK && i < whole.count; i++)
        if (whole.id[i] >= m->model.vocabulary)
            status = rk_fail(error, RK_BAD_INPUT, b->questions->path, (int)q->line, 0,
                             "has token %u, the model's vocabulary ends at %llu: say the model's "
                             "own --tokenizer",
                             whole.id[i], (unsigned long long)m->model.vocabulary);
    if (ok && status == RK_OK && !same && m->end_id == BPE_NONE)
        status = wrong(b->questions, q->line, error,
                       "has no context, and the tokenizer no end token to put before the answer");
    if (ok && status == RK_OK && tokens > m->sequence)
        status = rk_fail(error, RK_BAD_INPUT, b->questions->path, (int)q->line, 0,
                         "an answer takes %zu tokens, and the model's sequence is %llu", tokens,
                         (unsigned long long)m->sequence);
    if (ok && status == RK_OK) {
        size_t context = same;
        if (same + tokens > m->sequence + 1) {
            context = m->sequence + 1 - tokens;
            *cut = true;
        }
        const size_t at = b->set.ids.count;
        if (!context) ok = token_list_add(&b->set.ids, m->end_id);
        for (size_t i = same - context; ok && i < whole.count; i++)
            ok = token_list_add(&b->set.ids, whole.id[i]);
        ok = ok && eval_add(&b->set, at, b->set.ids.count - at, context ? context : 1);
    }
    token_list_release(&alone);
    token_list_release(&whole);
    bytes_release(&text);
    return ok ? status : no_memory(error);
}

static const char *choice_of(const struct question *q, size_t i)
{
    return q->choice ? json_string_value(json_array_get(q->choice, i)) : q->answer;
}

static size_t choices_of(const struct question *q)
{
    return q->choice ? json_array_size(q->choice) : 1;
}

static enum rk_status add_item(struct builder *b, const struct shots *shots, size_t item,
                               struct rk_error *error)
{
    const struct question *q = &b->questions->of[item];
    struct bytes prompt = {.data = NULL};
    bool cut = false;
    enum rk_status status = RK_OK;
    if (!add_shots(shots, item, &prompt) || !bytes_add(&prompt, q->prompt.data, q->prompt.size))
        status = no_memory(error);
    for (size_t i = 0; status == RK_OK && i < choices_of(q); i++)
        status = add_choice(b, q, &prompt, choice_of(q, i), &cut, error);
    b->result->cut += cut;
    bytes_release(&prompt);
    return status;
}

/* ---- judging ---- */

static double characters(const char *text)
{
    size_t count = 0;
    for (; *text; text++)
        count += ((unsigned char)*text & 0xc0) != 0x80;
    return (double)count;
}

struct judged { /* a choice */
    double loglik, length;
    uint64_t tokens;
    bool exact;
};

static bool write_item(FILE *log, const struct questions *q, const struct question *one,
                       const struct judged *c, size_t count, size_t best, size_t best_length)
{
    json_t *root = json_pack("{s:s, s:I, s:[], s:[], s:[]}", "task", q->path, "line",
                             (json_int_t)one->line, "loglik", "tokens", "exact");
    if (!root) return false;
    for (size_t i = 0; i < count; i++) {
        json_array_append_new(json_object_get(root, "loglik"), json_real(c[i].loglik));
        json_array_append_new(json_object_get(root, "tokens"),
                              json_integer((json_int_t)c[i].tokens));
        json_array_append_new(json_object_get(root, "exact"), json_boolean(c[i].exact));
    }
    if (one->choice) {
        json_object_set_new(root, "answer", json_integer((json_int_t)one->right));
        json_object_set_new(root, "chosen", json_integer((json_int_t)best));
        json_object_set_new(root, "chosen_length", json_integer((json_int_t)best_length));
    }
    const bool ok = json_dumpf(root, log, JSON_REAL_PRECISION(9)) == 0 && fputc('\n', log) != EOF;
    json_decref(root);
    return ok;
}

/* `score` has the tokens of its choices in order, from sequence `first` on. */
static bool judge(const struct questions *questions, const struct question *q,
                  const struct rk_sequence *sequence, const struct rk_token_score *score, FILE *log,
                  struct eval_task *r)
{
    struct judged c[CHOICES_MOST];
    const size_t count = choices_of(q);
    size_t best = 0, best_length = 0;
    for (size_t i = 0; i < count; i++) {
        c[i] = (struct judged){.exact = true,
                               .tokens = sequence[i].tokens - sequence[i].first,
                               .length = characters(choice_of(q, i))};
        for (uint64_t t = 0; t < c[i].tokens; t++, score++) {
            c[i].loglik += score->loglik;
            c[i].exact &= score->likeliest;
        }
        if (c[i].loglik > c[best].loglik) best = i;
        if (c[i].loglik / c[i].length > c[best_length].loglik / c[best_length].length)
            best_length = i;
    }
    const struct judged *right = &c[q->choice ? q->right : 0];
    r->items++;
    r->loss -= right->loglik;
    r->tokens += right->tokens;
    r->exact += right->exact;
    if (q->choice) {
        r->with_choices++;
        r->choices += count;
        r->chosen += best == q->right;
        r->chosen_length += best_length == q->right;
    }
    return !log || write_item(log, questions, q, c, count, best, best_length);
}

static enum rk_status judge_all(struct builder *b, const struct eval_task_options *options,
                                struct rk_error *error)
{
    struct rk_token_score *scores = NULL;
    enum rk_status status = eval_score(&b->set, b->model, &scores, error);
    const struct rk_sequence *sequence = b->set.sequence;
    const struct rk_token_score *score = scores;
    for (size_t i = 0; status == RK_OK && i < b->questions->count; i++) {
        const struct question *q = &b->questions->of[i];
        if (!judge(b->questions, q, sequence, score, options->log, b->result))
            status = rk_fail(error, RK_IO, NULL, 0, 0, "the log could not be written");
        for (size_t n = choices_of(q); n > 0; n--, sequence++)
            score += sequence->tokens - sequence->first;
    }
    free(scores);
    return status;
}

/* ---- all of it ---- */

static enum rk_status check_shots(const struct shots *shots, struct rk_error *error)
{
    const size_t there = shots->from->count - (shots->same && shots->from->count);
    if (shots->count <= there) return RK_OK;
    return rk_fail(error, RK_BAD_ARGUMENT, shots->from->path, 0, 0,
                   "has %zu examples for %llu shots: say fewer, or another file with --shots-from",
                   there, (unsigned long long)shots->count);
}

enum rk_status eval_task(const char *path, const struct eval_task_options *options,
                         const struct eval_model *model, struct eval_task *result,
                         struct rk_error *error)
{
    struct questions questions = {.of = NULL}, examples = {.of = NULL};
    char *form = NULL;
    size_t size = 0;
    const char *shots_path = options->shots_path;
    if (shots_path && strcmp(shots_path, path) == 0) shots_path = NULL; /* no question is its own */
    struct builder b = {.model = model, .questions = &questions, .result = result};
    struct shots shots = {.from = shots_path ? &examples : &questions,
                          .same = shots_path == NULL,
                          .count = options->shots,
                          .seed = options->seed};
    enum rk_status status = eval_check_tokenizer(model, error);
    *result = (struct eval_task){.items = 0};
    if (status == RK_OK && options->template_path)
        status = document_text(options->template_path, &form, &size, error);
    if (form && size && form[size - 1] == '\n') form[size - 1] = 0;
    const char *template = form ? form : "{{context}}";
    if (status == RK_OK) status = read_questions(path, template, &questions, error);
    if (status == RK_OK && shots_path)
        status = read_questions(shots_path, template, &examples, error);
    if (status == RK_OK) status = check_shots(&shots, error);
    for (size_t i = 0; status == RK_OK && i < questions.count; i++)
        status = add_item(&b, &shots, i, error);
    if (status == RK_OK) status = judge_all(&b, options, error);
    eval_set_release(&b.set);
    tokenizer_scratch_release(&b.scratch);
    questions_release(&questions);
    questions_release(&examples);
    free(form);
    return status;
}
