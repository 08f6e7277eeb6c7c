#include "cli/signals.h"

#include <signal.h>

void signals_go_to(void (*handler)(int number))
{
    static const int signals[] = {SIGINT, SIGTERM};
    struct sigaction action = {.sa_handler = handler};
    sigemptyset(&action.sa_mask);
    for (size_t i = 0; i < sizeof signals / sizeof *signals; i++)
        sigaction(signals[i], &action, NULL);
}
