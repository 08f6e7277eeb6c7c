#include "cli/streams.h"

#include <stdio.h>

/* glibc: the standard streams are variables, which a program may set. */
static int run_beside(int (*run)(int count, char **words), int count, char **words, FILE *out,
                      FILE *remarks, FILE *none)
{
    FILE *const kept[] = {stdin, stdout, stderr};
    stdin = none;
    stdout = out;
    stderr = remarks;
    const int code = run(count, words);
    stdin = kept[0];
    stdout = kept[1];
    stderr = kept[2];
    return code;
}

bool streams_run(int (*run)(int count, char **words), int count, char **words,
                 struct rk_command_answer *answer)
{
    size_t size = 0;
    FILE *out = open_memstream(&answer->text, &answer->bytes);
    FILE *remarks = open_memstream(&answer->remarks, &size);
    FILE *none = fopen("/dev/null", "r");
    bool whole = out && remarks && none;
    if (whole) answer->code = run_beside(run, count, words, out, remarks, none);
    if (out) whole &= fclose(out) == 0;
    if (remarks) whole &= fclose(remarks) == 0;
    if (none) fclose(none);
    return whole;
}
