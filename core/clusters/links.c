/* links.c - what a link between clusters is worth. */
#include "clusters/search.h"

#include <math.h>
#include <stdlib.h>

double clusters_break_even(const struct clusters_question *question, int a, int b)
{
    struct rk_machine *machine = malloc(sizeof *machine);
    struct clusters_answer *answer = malloc(sizeof *answer);
    double low = 1.0 / 1024, high = 1024, found = NAN; /* of what it is */
    if (!machine || !answer) goto out;
    *machine = *question->machine;
    struct clusters_question asked = *question;
    asked.machine = machine;
    for (int i = -2; i < 8; i++) {
        const double share = i == -2 ? low : i == -1 ? high : sqrt(low * high);
        machine->link[a][b].bandwidth_Bps = machine->link[b][a].bandwidth_Bps =
            share * question->machine->link[a][b].bandwidth_Bps;
        if (!clusters_search(&asked, answer)) goto out;
        bool both = answer->proved.stage[0].homes > 0; /* does the best use several clusters? */
        for (int k = 1; k < answer->proved.stages; k++)
            both |= answer->proved.stage[k].cluster != answer->proved.stage[0].cluster;
        found = i == -2 ? 0 : INFINITY;
        if (i < 0 && both == (i == -2)) goto out;
        if (i >= 0) *(both ? &high : &low) = share;
    }
    found = high * question->machine->link[a][b].bandwidth_Bps;
out:
    free(machine);
    free(answer);
    return found;
}
