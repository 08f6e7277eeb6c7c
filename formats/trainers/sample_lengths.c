#include "trainers/sample_lengths.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

void sample_lengths_write(FILE *file, const struct rk_plan *plan)
{
    if (plan->padded) fprintf(file, "# reckon: padded=%" PRIu64 "\n", plan->padded);
    if (plan->packed) fprintf(file, "# reckon: packed=%" PRIu64 "\n", plan->packed);
}

static int line_of(const char *text, const char *at)
{
    int line = 1;
    for (; text < at; text++)
        line += *text == '\n';
    return line;
}

struct reading {
    const struct config_source *source;
    struct notes *notes;
    struct rk_error *error;
};

/* *tokens, of which there are `most`; 0: no comment says it. */
static enum rk_status read_word(const struct reading *r, const char *word, uint64_t most,
                                uint64_t *tokens)
{
    char comment[32];
    const size_t length = (size_t)snprintf(comment, sizeof comment, "# reckon: %s=", word);
    const char *text = r->source->text, *found = text ? strstr(text, comment) : NULL;
    *tokens = found ? strtoull(found + length, NULL, 10) : 0;
    if (*tokens > most)
        return rk_fail(r->error, RK_BAD_INPUT, r->source->path, line_of(text, found), 0,
                       "the comment \"%s%" PRIu64 "\" says more tokens than the %" PRIu64
                       " that there is room for: correct it, or leave it out",
                       comment, *tokens, most);
    snprintf(comment, sizeof comment, "%" PRIu64, *tokens);
    if (*tokens)
        notes_add(r->notes, NOTE_ASSUMED, 0, 0, word, comment, "a comment of the file says so");
    return RK_OK;
}

enum rk_status sample_lengths_read(const struct config_source *source, uint64_t sequence,
                                   struct rk_plan *plan, struct notes *notes,
                                   struct rk_error *error)
{
    const struct reading r = {source, notes, error};
    const enum rk_status status = read_word(&r, "padded", sequence, &plan->padded);
    return status == RK_OK ? read_word(&r, "packed", sequence - 1, &plan->packed) : status;
}

static const char objective_comment[] = "# reckon: objective=";

void objective_write(FILE *file, const struct rk_plan *plan)
{
    fprintf(file, "%s%s\n", objective_comment, rk_objective_name(plan->objective));
}

const char *objective_read(const struct config_source *source, struct notes *notes)
{
    const char *found = source->text ? strstr(source->text, objective_comment) : NULL;
    for (int i = 0; found && i < RK_OBJECTIVES; i++) {
        const char *name = rk_objective_name((enum rk_objective)i);
        const char *said = found + sizeof objective_comment - 1;
        const size_t length = strcspn(said, " \t\r\n");
        if (strlen(name) != length || memcmp(said, name, length) != 0) continue;
        if (i == RK_NEXT_TOKEN) return NULL;
        notes_add(notes, NOTE_ASSUMED, 0, 0, "objective", name, "a comment of the file says so");
        return name;
    }
    return NULL;
}
