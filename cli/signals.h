/* signals.h - who hears Ctrl-C and the end of the job. */
#ifndef RECKON_CLI_SIGNALS_H
#define RECKON_CLI_SIGNALS_H

void signals_go_to(void (*handler)(int number)); /* SIGINT and SIGTERM; SIG_DFL: nobody */

#endif
