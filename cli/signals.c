#include "cli/signals.h"

#include "text/output.h"

#include <signal.h>

void signals_go_to(void (*handler)(int number))
{
    static const int signals[] = {SIGINT, SIGTERM};
    struct sigaction action = {.sa_handler = handler}, now;
    sigemptyset(&action.sa_mask);
    for (size_t i = 0; i < sizeof signals / sizeof *signals; i++) {
        sigaction(signals[i], NULL, &now);
        if (handler == signals_end && now.sa_handler == SIG_IGN) continue; /* nohup's */
        sigaction(signals[i], &action, NULL);
    }
}

void signals_end(int number)
{
    output_remove_all();
    signal(number, SIG_DFL);
    raise(number);
}
