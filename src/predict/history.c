#include "predict/history.h"

#include "base/mem.h"
#include "base/text.h"

#include <stdlib.h>

struct history {
    orr_names *keys;
    ORR_VEC(double) sums;
    ORR_VEC(uint64_t) counts;
};

struct history *orr_history_create(void)
{
    struct history *h = orr_xcalloc(1, sizeof *h);
    h->keys = orr_names_create();
    return h;
}

void orr_history_destroy(struct history *h)
{
    if (!h)
        return;
    orr_names_destroy(h->keys);
    ORR_VEC_FREE(&h->sums);
    ORR_VEC_FREE(&h->counts);
    free(h);
}

void orr_history_put(struct history *h, const char *key, double value)
{
    uint32_t id = orr_names_id(h->keys, key, strlen(key));
    while (h->sums.n <= id) {
        ORR_VEC_PUSH(&h->sums, 0.0);
        ORR_VEC_PUSH(&h->counts, 0);
    }
    h->sums.at[id] += value;
    h->counts.at[id]++;
}

bool orr_history_get(const struct history *h, const char *key, double *mean)
{
    int64_t id = orr_names_find(h->keys, key, strlen(key));
    if (id < 0)
        return false;
    *mean = h->sums.at[id] / (double)h->counts.at[id];
    return true;
}
