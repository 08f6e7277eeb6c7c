/* stack.h - a stack that is large enough, whatever `ulimit -s` says. */
#ifndef RECKON_CLI_STACK_H
#define RECKON_CLI_STACK_H

/* What begin(argc, argv) returns. Where the limit of stacks is below what plans of the most stages
 * take, it runs on a thread with one that is not, and so do all threads after it. */
int stack_run(int (*begin)(int argc, char **argv), int argc, char **argv);

#endif
