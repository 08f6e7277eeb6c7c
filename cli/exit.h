/* exit.h - what a process ends with. */
#ifndef RECKON_CLI_EXIT_H
#define RECKON_CLI_EXIT_H

/* Of an enum rk_status: 0 done, 1 no plan or a check that failed, 2 a wrong word, 3 wrong data, 4
 * files or memory; 130 interrupted, and 143 by SIGTERM. */
int exit_code(int status);

/* RK_INTERRUPTED, by this signal where that was no job with a bar (progress.h). */
int exit_stopped(int signal);

#endif
