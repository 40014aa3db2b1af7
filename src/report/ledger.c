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

static uint64_t all_gpus(int32_t gpus)
{
    return gpus >= 64 ? UINT64_MAX : (UINT64_C(1) << gpus) - 1;
}

void orr_ledger_init(orr_ledger *l, const orr_log_header *header)
{
    size_t gpus = 0;
    *l = (orr_ledger){.node_count = orr_log_node_count(header), .jobs = header->jobs};
    l->nodes = orr_xcalloc((size_t)l->node_count + 1, sizeof *l->nodes);
    l->holdings = orr_xcalloc((size_t)l->jobs + 1, sizeof *l->holdings);
    orr_ledger_node *node = l->nodes;
    for (size_t run = 0; run < header->node_runs; run++) {
        const orr_log_nodes *as = &header->nodes[run];
        const int32_t pool = pool_of(header, run);
        for (int32_t i = 0; i < as->count; i++, gpus += (size_t)as->gpus)
            *node++ = (orr_ledger_node){.gpus = as->gpus, .free = as->gpus, .left = 1000 * as->gpus, .pool = pool,
                                        .type = as->type, .up = all_gpus(as->gpus), .first = gpus};
    }
    l->used = orr_xcalloc(gpus + 1, sizeof *l->used);
}

void orr_ledger_fini(orr_ledger *l)
{
    for (uint64_t i = 0; i < l->jobs; i++)
        free(l->holdings[i].slices);
    free(l->holdings);
    free(l->nodes);
    free(l->used);
    ORR_VEC_FREE(&l->savers);
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

/* ---- the marked nodes ---- */

static void count(orr_ledger *l, const orr_ledger_node *node, int sign)
{
    if (!node->marked)
        return;
    l->free += sign * node->free;
    l->held += sign * node->held;
    l->left += sign * node->left;
    l->pieces[node->free] += sign;
    l->fitting += sign * node->fits;
}

/* A node after a change of it. */
static void look_at(orr_ledger *l, orr_ledger_node *node)
{
    int32_t able = 0;
    count(l, node, -1);
    node->free = node->held = node->left = 0;
    for (int32_t g = 0; g < node->gpus; g++) {
        const int32_t used = l->used[node->first + (size_t)g];
        const bool up = node->up >> g & 1;
        node->held += used > 0;
        node->free += up && used == 0;
        node->left += up && used < 1000 ? 1000 - used : 0;
        able += up && used + l->part_milli <= 1000;
    }
    node->fits = l->part_milli && able >= l->part_gpus;
    count(l, node, 1);
}

void orr_ledger_mark(orr_ledger *l, int32_t pool, const char *types, int32_t gpus, int32_t milli)
{
    l->part_gpus = gpus;
    l->part_milli = milli < 1000 ? milli : 0;
    for (int64_t i = 0; i < l->node_count; i++) {
        orr_ledger_node *node = &l->nodes[i];
        if ((pool >= 0 && node->pool != pool) || !one_of(types, node->type))
            continue;
        node->marked = true;
        l->gpus += node->gpus;
        l->widest = node->gpus > l->widest ? node->gpus : l->widest;
        count(l, node, 1);
        look_at(l, node);
    }
}

void orr_ledger_node_is(orr_ledger *l, int32_t node, uint64_t up, bool takes)
{
    l->nodes[node].up = takes ? up & all_gpus(l->nodes[node].gpus) : 0;
    look_at(l, &l->nodes[node]);
}

/* ---- GPUs change hands ---- */

static void use(orr_ledger *l, const orr_log_slice *s, int sign)
{
    orr_ledger_node *node = &l->nodes[s->node];
    for (int32_t g = 0; g < node->gpus; g++)
        l->used[node->first + (size_t)g] += s->gpus >> g & 1 ? sign * s->milli : 0;
    look_at(l, node);
}

void orr_ledger_take(orr_ledger *l, uint32_t job)
{
    orr_holding *h = &l->holdings[job];
    l->running -= h->n > 0;
    for (int32_t i = 0; i < h->n; i++)
        use(l, &h->slices[i], -1);
    for (size_t i = 0; h->saves && i < l->savers.n; i++)
        if (l->savers.at[i] == job)
            l->savers.at[i--] = l->savers.at[--l->savers.n];
    free(h->slices);
    *h = (orr_holding){0};
}

void orr_ledger_save(orr_ledger *l, uint32_t job)
{
    if (l->holdings[job].saves)
        return;
    l->holdings[job].saves = true;
    ORR_VEC_PUSH(&l->savers, job);
}

/* A saver gives up its part of one GPU. */
static void yield(orr_ledger *l, const orr_holding *h, int32_t node, uint64_t gpu)
{
    for (int32_t i = 0; i < h->n; i++) {
        if (h->slices[i].node != node || !(h->slices[i].gpus & gpu))
            continue;
        h->slices[i].gpus &= ~gpu;
        use(l, &(orr_log_slice){.node = node, .gpus = gpu, .milli = h->slices[i].milli}, -1);
        return;
    }
}

/* Whoever saves on GPUs of which more is given away than there is yields. */
static void make_room(orr_ledger *l, const orr_log_slice *s)
{
    const orr_ledger_node *node = &l->nodes[s->node];
    for (int32_t g = 0; l->savers.n && g < node->gpus; g++)
        for (size_t i = 0; s->gpus >> g & 1 && i < l->savers.n && l->used[node->first + (size_t)g] > 1000; i++)
            yield(l, &l->holdings[l->savers.at[i]], s->node, UINT64_C(1) << g);
}

void orr_ledger_give(orr_ledger *l, uint32_t job, const orr_log_slice *slices, int32_t n)
{
    orr_ledger_take(l, job);
    for (int32_t i = 0; i < n; i++) {
        use(l, &slices[i], 1);
        make_room(l, &slices[i]);
    }
    orr_holding *h = &l->holdings[job];
    h->slices = orr_xmalloc(((size_t)n + 1) * sizeof *slices);
    memcpy(h->slices, slices, (size_t)n * sizeof *slices);
    h->n = n;
    l->running += n > 0;
}

/* ---- room ---- */

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

bool orr_ledger_has_free(const orr_ledger *l, int32_t gpus)
{
    return l->part_milli ? (int64_t)gpus * l->part_milli <= l->left : gpus <= l->free;
}

bool orr_ledger_has_room(const orr_ledger *l, int32_t gpus)
{
    return l->part_milli ? l->fitting > 0 : orr_ledger_fits(l, gpus);
}
