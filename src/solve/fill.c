/* Max-min sharing of one amount: who wants least, for its weight, has enough first; what is left goes to the rest by
 * weight. */
#include "base/mem.h"

#include <orrery/solve.h>

#include <math.h>

typedef struct claim {
    double reach; /* want / weight */
    int32_t who;
} claim;

static int by_reach(const void *a, const void *b)
{
    const claim *x = a, *y = b;
    if (x->reach < y->reach || x->reach > y->reach)
        return x->reach < y->reach ? -1 : 1;
    return x->who < y->who ? -1 : 1;
}

double orr_fill_fair(const double *want, const double *weight, int32_t n, double amount, double *got)
{
    claim *claims = orr_xcalloc((size_t)n + 1, sizeof *claims);
    double *behind = orr_xcalloc((size_t)n + 1, sizeof *behind), left = fmax(amount, 0);
    for (int32_t i = 0; i < n; i++)
        claims[i] = (claim){fmax(want[i], 0) / weight[i], i};
    qsort(claims, (size_t)n, sizeof *claims, by_reach);
    for (int32_t i = n - 1; i >= 0; i--)
        behind[i] = behind[i + 1] + weight[claims[i].who];
    int32_t i = 0;
    for (; i < n && claims[i].reach * behind[i] <= left; i++) {
        got[claims[i].who] = fmax(want[claims[i].who], 0);
        left -= got[claims[i].who];
    }
    double reach = i < n ? fmax(left, 0) / behind[i] : 0;
    for (int32_t rest = i; rest < n; rest++)
        got[claims[rest].who] = weight[claims[rest].who] * reach;
    free(claims);
    free(behind);
    return i < n ? 0 : fmax(left, 0);
}
