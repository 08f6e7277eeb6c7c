/* streams.h - a command run with what it prints kept as texts. */
#ifndef RECKON_CLI_STREAMS_H
#define RECKON_CLI_STREAMS_H

#include <reckon/command.h>

/* Sets code, text, bytes and remarks of the answer; false: there was no memory for them. */
bool streams_run(int (*run)(int count, char **words), int count, char **words,
                 struct rk_command_answer *answer);

#endif
