/* shell_build.h - words that are being built, piece by piece. */
#ifndef RECKON_SHELL_SHELL_BUILD_H
#define RECKON_SHELL_SHELL_BUILD_H

#include "shell/shell_state.h"

struct builder {
    struct shell_state *s;
    struct shell_place place;
    struct shell_words *words; /* NULL: one value, nothing is split */
    char *text;
    size_t length, room;
    size_t unknown;
    size_t maybe; /* condition of the word at hand */
    size_t bare;  /* where the name of an unknown "$NAME" begins, that the word ends in so far */
    bool started, all_unknown;
    struct shell_place origin; /* of the word at hand */
};

void shell_build(struct builder *b, const char *text, size_t length);

void shell_build_end(struct builder *b);

/* In a word as people would write it, in a value as a hole. */
void shell_build_unknown(struct builder *b, size_t unknown, bool quoted);

void shell_build_value(struct builder *b, const struct shell_value *value, bool quoted);

/* "${A[@]}" makes a word of each element. */
void shell_build_list(struct builder *b, const struct shell_value *values, size_t count,
                      bool quoted, bool at);

#endif
