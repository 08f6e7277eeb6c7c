#include "megatron/deepspeed_hosts.h"

#include <stdlib.h>
#include <string.h>

struct command {
    const struct shell *shell;
    const struct shell_word *words;
    size_t count;
    bool unknown; /* one of the values asked for */
};

/* What it is given by --NAME=VALUE, --NAME VALUE or -N VALUE; NULL: nothing. */
static const char *option_value(struct command *c, const char *name, const char *letter)
{
    const size_t n = strlen(name);
    for (size_t i = 0; i < c->count; i++) {
        const struct shell_word *word = &c->words[i];
        const bool joined = strncmp(word->text, name, n) == 0 && word->text[n] == '=';
        const bool apart = strcmp(word->text, name) == 0 || strcmp(word->text, letter) == 0;
        if (!joined && !(apart && i + 1 < c->count)) continue;
        word += !joined;
        c->unknown |= word->unknown || word->maybe;
        return joined ? word->text + n + 1 : word->text;
    }
    return NULL;
}

/* The hostfile, where it is at hand. */
static const char *host_file(struct command *c)
{
    struct shell_word written = {.unknown = 0};
    const char *name = option_value(c, "--hostfile", "-H");
    const char *file = name ? shell_file(c->shell, name, &written) : NULL;
    if (file) return written.unknown || written.maybe ? NULL : file;
    return name ? shell_beside(c->shell, name) : NULL;
}

/* "node1@node2:0,2" of --include and --exclude: how many of a host's `slots` it names. */
static uint64_t named_slots(const char *spec, const char *host, size_t length, uint64_t slots)
{
    for (; *spec; spec += strcspn(spec, "@"), spec += *spec == '@') {
        const size_t n = strcspn(spec, ":@");
        if (n != length || memcmp(spec, host, n) != 0) continue;
        if (spec[n] != ':') return slots;
        uint64_t named = 1;
        for (const char *p = spec + n; *p && *p != '@'; p++)
            named += *p == ',';
        return named;
    }
    return 0;
}

/* Without a hostfile: `--include localhost:0,1`. 0: all of a host, which nothing counts. */
static uint64_t count_named(const char *spec)
{
    uint64_t all = 0;
    for (; *spec; spec += strcspn(spec, "@"), spec += *spec == '@') {
        const uint64_t named = named_slots(spec, spec, strcspn(spec, ":@"), 0);
        if (!named) return 0;
        all += named;
    }
    return all;
}

struct host_choice {
    const char *file, *included, *excluded; /* NULL: not said */
    uint64_t nodes, each;                   /* at most; 0: all, and a host's slots */
};

/* "node1 slots=8": the GPUs of a hostfile, as far as they are taken. */
static uint64_t count_slots(const struct host_choice *h)
{
    uint64_t slots = 0, hosts = 0;
    for (const char *text = h->file; *text && (!h->nodes || hosts < h->nodes);) {
        const size_t line = strcspn(text, "\n"), name = strcspn(text, " \t\n");
        const char *found = *text == '#' ? NULL : strstr(text, "slots=");
        if (found && found < text + line) {
            const uint64_t own = h->each ? h->each : strtoull(found + 6, NULL, 10);
            const uint64_t out = h->excluded ? named_slots(h->excluded, text, name, own) : 0;
            slots += h->included ? named_slots(h->included, text, name, own)
                     : out < own ? own - out
                                 : 0;
            hosts++;
        }
        text += line + (text[line] == '\n');
    }
    return slots <= 1000000000 ? slots : 0;
}

uint64_t deepspeed_hosts(const struct shell *shell, const struct shell_word *words, size_t count,
                         uint64_t nodes, uint64_t each)
{
    struct command c = {.shell = shell, .words = words, .count = count};
    const struct host_choice h = {.file = host_file(&c),
                                  .included = option_value(&c, "--include", "-i"),
                                  .excluded = option_value(&c, "--exclude", "-e"),
                                  .nodes = nodes,
                                  .each = each};
    if (c.unknown) return 0;
    if (h.file) return count_slots(&h);
    return h.included ? count_named(h.included) : 0;
}
