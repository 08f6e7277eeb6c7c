/* signals.h - who hears Ctrl-C and the end of the job. */
#ifndef RECKON_CLI_SIGNALS_H
#define RECKON_CLI_SIGNALS_H

void signals_go_to(void (*handler)(int number)); /* SIGINT and SIGTERM */
/* Ends the process as the signal does, without a trace of outputs that are not whole. */
void signals_end(int number);

#endif
