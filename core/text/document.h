/* document.h - a JSON text in memory, and where in it each value stands.
 *
 * Files may be compressed with gzip; "-" is standard input. Everything that can be wrong with a
 * text as such (no file, a directory, empty, too large, not UTF-8, not JSON, a key given twice,
 * nested too deeply) is one message with line and column here; what the values mean is the
 * business of fields.h.
 */
#ifndef RECKON_TEXT_DOCUMENT_H
#define RECKON_TEXT_DOCUMENT_H

#include <jansson.h>
#include <reckon/status.h>
#include <stdbool.h>
#include <stddef.h>

enum { DOCUMENT_MAX_BYTES = 64 << 20 };

struct document {
    char path[256]; /* as messages name it */
    char *text;     /* (size) decompressed */
    size_t size;
    json_t *root;
    char *line; /* "NAME KEY=VALUE ...", where members were given so: messages point into it */
};

/* Input that cannot be read or is wrong gives RK_BAD_INPUT; RK_IO is a failing disk or no
 * memory. On failure the document is empty; release it or not. */
enum rk_status document_load(const char *path, struct document *document, struct rk_error *error);

/* Any UTF-8 text, likewise; `root` stays NULL. Empty is an error too. */
enum rk_status document_load_text(const char *path, struct document *document,
                                  struct rk_error *error);

/* JSON from memory; `path` is only for messages. */
enum rk_status document_parse(const char *path, const void *text, size_t size,
                              struct document *document, struct rk_error *error);

/* Text of any other kind of file, by the same rules, with a NUL after its `size` bytes. The caller
 * frees it. */
enum rk_status document_text(const char *path, char **text, size_t *size, struct rk_error *error);

/* The word KEY=VALUE of a description, the first of this key; NULL: none. */
const char *document_word(const char *line, const char *key);

/* A zeroed document is fine. */
void document_release(struct document *document);

/* ---- places ----
 *
 * A value, and how to get to it. Places form a chain up to the root; they live on the stack of
 * the loaders, each within the lifetime of its parent, and cost nothing unless they fail. */
struct place {
    const struct document *document;
    const struct place *parent; /* NULL: the root */
    const char *key;            /* member of an object, or NULL: */
    size_t index;               /* ... element of an array */
    json_t *value;              /* borrowed */
};

struct place place_root(const struct document *document);

/* False (and `member->value` NULL) when `object` is no object or has no such key. */
bool place_member(const struct place *object, const char *key, struct place *member);

/* Requires an array and index < json_array_size. */
struct place place_element(const struct place *array, size_t index);

/* Fails with RK_BAD_INPUT at the value: "networks[1].bandwidth_GBps: " and the text. */
enum rk_status place_fail(const struct place *place, struct rk_error *error, const char *format,
                          ...) RK_PRINTF(3, 4);

/* The same, pointing at the key of a member and without naming the member itself. */
enum rk_status place_fail_key(const struct place *member, struct rk_error *error,
                              const char *format, ...) RK_PRINTF(3, 4);

/* "a string", "an object", ... and for scalars the value itself: `the string "x"`, `3.5`. Returns
 * `buffer`. */
enum { PLACE_TEXT = 96 };
const char *place_describe(char buffer[static PLACE_TEXT], const struct place *place);

#endif
