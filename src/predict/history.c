#include "predict/history.h"

#include "base/mem.h"
#include "base/text.h"

struct history {
    orr_names *keys;
    ORR_VEC(orr_seen) seen; /* by the key's number */
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
    ORR_VEC_FREE(&h->seen);
    free(h);
}

void orr_history_put(struct history *h, const void *key, size_t size, double value)
{
    uint32_t id = orr_names_id(h->keys, key, size);
    while (h->seen.n <= id)
        ORR_VEC_PUSH(&h->seen, ((orr_seen){0}));
    h->seen.at[id].sum += value;
    h->seen.at[id].count++;
}

orr_seen orr_history_get(const struct history *h, const void *key, size_t size)
{
    int64_t id = orr_names_find(h->keys, key, size);
    return id < 0 ? (orr_seen){0} : h->seen.at[id];
}
