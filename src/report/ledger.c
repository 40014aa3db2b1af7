#include "report/ledger.h"

#include <stdlib.h>
#include <string.h>

static int32_t pool_of(const orr_log_header *header, size_t run)
{
    int32_t pool = 0;
    for (size_t i = 0; i < run; i++) {
        bool fresh = true;
        if (strcmp(header->nodes[i].vc, header->nodes[run].vc) == 0)
            break;
        for (size_t k = 0; k < i && fresh; k++)
            fresh = strcmp(header->nodes[k].vc, header->nodes[i].vc) != 0;
        pool += fresh;
    }
    return pool;
}

void orr_ledger_init(orr_ledger *l, const orr_log_header *header)
{
    size_t owners = 0;
    *l = (orr_ledger){.node_count = orr_log_node_count(header), .jobs = header->jobs};
    l->nodes = orr_xcalloc((size_t)l->node_count + 1, sizeof *l->nodes);
    l->holdings = orr_xcalloc((size_t)l->jobs + 1, sizeof *l->holdings);
    orr_ledger_node *node = l->nodes;
    for (size_t run = 0; run < header->node_runs; run++) {
        const orr_log_nodes *as = &header->nodes[run];
        const int32_t pool = pool_of(header, run);
        for (int32_t i = 0; i < as->count; i++, owners += (size_t)as->gpus)
            *node++ = (orr_ledger_node){as->gpus, as->gpus, pool, as->type, false, owners};
    }
    l->owner = orr_xcalloc(owners + 1, sizeof *l->owner);
}

void orr_ledger_fini(orr_ledger *l)
{
    for (uint64_t i = 0; i < l->jobs; i++)
        free(l->holdings[i].slices);
    free(l->holdings);
    free(l->nodes);
    free(l->owner);
}

static bool one_of(const char *types, const char *type)
{
    const size_t n = strlen(type);
    for (const char *at = types; *at; at += *at == '|') {
        const size_t length = strcspn(at, "|");
        if (length == n && memcmp(at, type, n) == 0)
            return true;
        at += length;
    }
    return types[0] == '\0';
}

void orr_ledger_mark(orr_ledger *l, int32_t pool, const char *types)
{
    for (int64_t i = 0; i < l->node_count; i++) {
        orr_ledger_node *node = &l->nodes[i];
        node->marked = (pool < 0 || node->pool == pool) && one_of(types, node->type);
        if (!node->marked)
            continue;
        l->gpus += node->gpus;
        l->free += node->free;
        l->pieces[node->free]++;
        l->widest = node->gpus > l->widest ? node->gpus : l->widest;
    }
}

static void change(orr_ledger *l, orr_ledger_node *node, int32_t by)
{
    if (node->marked) {
        l->pieces[node->free]--;
        l->pieces[node->free + by]++;
        l->free += by;
    }
    node->free += by;
}

void orr_ledger_take(orr_ledger *l, uint32_t job)
{
    orr_holding *h = &l->holdings[job];
    l->running -= h->n > 0;
    for (int32_t i = 0; i < h->n; i++) {
        orr_ledger_node *node = &l->nodes[h->slices[i].node];
        int32_t back = 0;
        for (int32_t g = 0; g < node->gpus; g++) {
            uint32_t *owner = &l->owner[node->owners + (size_t)g];
            if (!(h->slices[i].gpus >> g & 1) || *owner != job + 1)
                continue; /* given to another while this one saved */
            *owner = 0;
            back++;
        }
        change(l, node, back);
    }
    free(h->slices);
    *h = (orr_holding){0};
}

void orr_ledger_give(orr_ledger *l, uint32_t job, const orr_log_slice *slices, int32_t n)
{
    orr_ledger_take(l, job);
    for (int32_t i = 0; i < n; i++) {
        orr_ledger_node *node = &l->nodes[slices[i].node];
        int32_t gone = 0;
        for (int32_t g = 0; g < node->gpus; g++) {
            uint32_t *owner = &l->owner[node->owners + (size_t)g];
            if (!(slices[i].gpus >> g & 1))
                continue;
            gone += *owner == 0;
            *owner = job + 1;
        }
        change(l, node, -gone);
    }
    orr_holding *h = &l->holdings[job];
    h->slices = orr_xmalloc((size_t)n * sizeof *slices);
    memcpy(h->slices, slices, (size_t)n * sizeof *slices);
    h->n = n;
    l->running += n > 0;
}

bool orr_ledger_fits(const orr_ledger *l, int32_t gpus)
{
    if (l->widest == 0 || gpus > l->free)
        return gpus == 0;
    const int64_t whole = gpus / l->widest;
    const int32_t rest = gpus % l->widest;
    if (l->pieces[l->widest] < whole)
        return false;
    int64_t enough = l->pieces[l->widest] - whole;
    for (int32_t k = rest; k < l->widest; k++) /* at most 64 */
        enough += l->pieces[k];
    return rest == 0 || enough > 0;
}
