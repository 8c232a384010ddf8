#include "lib/stats/kbest.h"

void kbest_start(struct kbest *b, unsigned k, double epsilon, uint64_t max)
{
    *b = (struct kbest){.k = k, .epsilon = epsilon, .max = max};
}

bool kbest_add(struct kbest *b, uint64_t ticks)
{
    b->taken++;
    unsigned at = b->held;
    if (b->held < b->k)
        b->held++;
    else if (ticks < b->smallest[at - 1])
        at--; /* replaces the largest */
    else
        at = b->k;
    if (at < b->k) {
        for (; at > 0 && b->smallest[at - 1] > ticks; at--)
            b->smallest[at] = b->smallest[at - 1];
        b->smallest[at] = ticks;
    }
    b->converged = b->held == b->k &&
                   (double)b->smallest[b->k - 1] <= (1 + b->epsilon) * (double)b->smallest[0];
    return !b->converged && b->taken < b->max;
}
