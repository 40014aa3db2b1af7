/* Who holds what. Within a commit jobs may change places, so that a GPU is booked twice for a moment: whether
 * anything is given away twice is asked when the commit is over, of what it touched. */
#include "verify/proof.h"

#include <inttypes.h>
#include <stdio.h>

/* ---- making ------------------------------------------------------------------------------------------------------ */

static int32_t pool_of(proof *p, const char *vc)
{
    if (p->header->one_pool)
        vc = "";
    if (p->header->tenant_count)
        return -1; /* nobody's own */
    return (int32_t)orr_names_id(p->pools, vc, strlen(vc));
}

static void make_machines(proof *p)
{
    int64_t node = 0, gpu = 0;
    for (size_t i = 0; i < p->header->node_runs; i++) {
        const orr_log_nodes *kind = &p->header->nodes[i];
        const int32_t pool = pool_of(p, kind->vc);
        for (int32_t k = 0; k < kind->count; k++, gpu += kind->gpus)
            p->machines[node++] = (machine){.kind = kind, .first = gpu, .pool = pool, .lost = ORR_TIME_NONE};
    }
    p->gpus = gpu;
}

orr_err orr_booked_make(proof *p, orr_error *e)
{
    p->nodes = orr_log_node_count(p->header);
    p->pools = orr_names_create();
    for (size_t i = 0; i < p->header->tenant_count; i++)
        orr_names_id(p->pools, p->header->tenants[i].vc, strlen(p->header->tenants[i].vc));
    p->machines = orr_xcalloc((size_t)p->nodes + 1, sizeof *p->machines);
    make_machines(p);
    if (!p->gpus)
        return orr_error_set(e, ORR_E_NO_GPUS, "the log's cluster has no GPUs");
    p->cards = orr_xcalloc((size_t)p->gpus, sizeof *p->cards);
    for (int64_t i = 0; i < p->gpus; i++)
        p->cards[i].blocked = ORR_TIME_NONE;
    p->pool_count = (int32_t)orr_names_count(p->pools);
    p->pool_gpus = orr_xcalloc((size_t)p->pool_count + 1, sizeof *p->pool_gpus);
    for (size_t i = 0; i < p->header->tenant_count; i++)
        p->pool_gpus[i] = p->header->tenants[i].quota;
    for (int64_t i = 0; i < p->nodes && !p->header->tenant_count; i++)
        p->pool_gpus[p->machines[i].pool] += p->machines[i].kind->gpus;
    return ORR_OK;
}

void orr_booked_fini(proof *p)
{
    orr_names_destroy(p->pools);
    free(p->machines);
    free(p->cards);
    free(p->pool_gpus);
    ORR_VEC_FREE(&p->touched_cards);
    ORR_VEC_FREE(&p->touched_machines);
    ORR_VEC_FREE(&p->savers);
}

void orr_booked_node_name(const proof *p, int32_t node, char *buf, size_t size)
{
    const char *name = p->machines[node].kind->name;
    if (name[0])
        snprintf(buf, size, "%s", name);
    else
        snprintf(buf, size, "node%d", node);
}

void orr_booked_gpu_name(const proof *p, int32_t node, int gpu, char *buf, size_t size)
{
    char name[48];
    orr_booked_node_name(p, node, name, sizeof name);
    snprintf(buf, size, "%s:gpu%d", name, gpu);
}

/* ---- is it a placement? ------------------------------------------------------------------------------------------ */

static bool is_listed(const char *type, const char *list)
{
    const size_t n = strlen(type);
    for (const char *at = list;; at++) {
        const size_t length = strcspn(at, "|");
        if (length == n && memcmp(at, type, n) == 0)
            return true;
        at += length;
        if (!*at)
            return false;
    }
}

static uint64_t all_gpus(const machine *m)
{
    return m->kind->gpus == 64 ? UINT64_MAX : ((uint64_t)1 << m->kind->gpus) - 1;
}

static bool exists(proof *p, const orr_log_slice *s)
{
    char name[64];
    if (s->node >= p->nodes) {
        orr_proof_finds(p, RULE_NODE, NULL, "it is given GPUs of node %d, and there are %" PRId64, s->node, p->nodes);
        return false;
    }
    const machine *m = &p->machines[s->node];
    if (!(s->gpus & ~all_gpus(m)))
        return true;
    orr_booked_node_name(p, s->node, name, sizeof name);
    orr_proof_finds(p, RULE_NODE, name, "it is given GPUs that this node of %d GPUs doesn't have", m->kind->gpus);
    return false;
}

static void check_kind(proof *p, const live *l, const orr_log_slice *s)
{
    char name[64];
    const machine *m = &p->machines[s->node];
    orr_booked_node_name(p, s->node, name, sizeof name);
    if (l->types[0] && !is_listed(m->kind->type, l->types))
        orr_proof_finds(p, RULE_TYPE, name, "it asks for %s and is on %s", l->types, m->kind->type);
    if (m->pool >= 0 && m->pool != l->f->pool && !p->header->borrows)
        orr_proof_finds(p, RULE_VC, name, "it belongs to VC '%s' and is on a node of '%s'",
                        l->f->pool < 0 ? "?" : orr_names_text(p->pools, (uint32_t)l->f->pool), m->kind->vc);
}

static void check_share(proof *p, const orr_log_slice *s)
{
    if (s->milli < 1 || s->milli > 1000)
        orr_proof_finds(p, RULE_CAPACITY, NULL, "it is given %d thousandths of each GPU", s->milli);
}

static int by_node(const void *a, const void *b)
{
    const orr_log_slice *x = a, *y = b;
    return (x->node > y->node) - (x->node < y->node);
}

static bool names_each_once(const orr_log_record *r)
{
    bool once = true;
    orr_log_slice *sorted = orr_xcalloc((size_t)r->slice_count + 1, sizeof *sorted);
    for (int32_t i = 0; i < r->slice_count; i++)
        sorted[i] = r->slices[i];
    qsort(sorted, (size_t)r->slice_count, sizeof *sorted, by_node);
    for (int32_t i = 1; i < r->slice_count; i++)
        once &= sorted[i].node != sorted[i - 1].node;
    free(sorted);
    return once;
}

static bool is_whole(const live *l, const orr_log_record *r, int32_t gpus)
{
    for (int32_t i = 0; i < r->slice_count; i++)
        if (!r->slices[i].gpus && l->f->gpus > 0)
            return false;
    return gpus >= l->min_gpus && gpus <= l->max_gpus && r->slice_count > 0 && names_each_once(r);
}

bool orr_booked_check(proof *p, const live *l, const orr_log_record *r)
{
    const int32_t gpus = orr_log_gpus(r);
    for (int32_t i = 0; i < r->slice_count; i++)
        if (!exists(p, &r->slices[i]))
            return false;
    if (!is_whole(l, r, gpus))
        orr_proof_finds(p, RULE_GANG, NULL,
                        "it is given %d GPUs on %d nodes and runs on %d to %d, each node named once", gpus,
                        r->slice_count, l->min_gpus, l->max_gpus);
    for (int32_t i = 0; i < r->slice_count; i++) {
        check_kind(p, l, &r->slices[i]);
        check_share(p, &r->slices[i]);
        orr_nodes_check(p, l, &r->slices[i]);
    }
    return true;
}

/* ---- booking ----------------------------------------------------------------------------------------------------- */

static int bits(uint64_t mask)
{
    int n = 0;
    for (; mask; mask &= mask - 1)
        n++;
    return n;
}

static int lowest(uint64_t mask)
{
    int n = 0;
    for (; !(mask & 1); mask >>= 1)
        n++;
    return n;
}

static void touch_card(proof *p, int64_t i)
{
    if (p->cards[i].touched)
        return;
    p->cards[i].touched = true;
    ORR_VEC_PUSH(&p->touched_cards, i);
}

static void touch_machine(proof *p, int32_t node)
{
    if (p->machines[node].touched)
        return;
    p->machines[node].touched = true;
    ORR_VEC_PUSH(&p->touched_machines, node);
}

/* Evenly with the GPUs, rounded up; all of it for a job without GPUs. */
static int64_t part(int64_t whole, int32_t gpus, int32_t of)
{
    return of ? (int64_t)(((orr_wide)whole * gpus + of - 1) / of) : whole;
}

static void book_cards(proof *p, const live *l, const orr_log_slice *s, int sign)
{
    for (uint64_t mask = s->gpus; mask; mask &= mask - 1) {
        const int64_t at = p->machines[s->node].first + lowest(mask);
        p->cards[at].used += sign * s->milli;
        p->cards[at].mem += s->milli < 1000 ? sign * l->gpu_mem : 0;
        touch_card(p, at);
    }
}

static void book(proof *p, const live *l, int sign)
{
    for (size_t i = 0; i < l->slices.n; i++) {
        const orr_log_slice *s = &l->slices.at[i];
        const int32_t gpus = bits(s->gpus);
        machine *m = &p->machines[s->node];
        book_cards(p, l, s, sign);
        m->cpu_milli += sign * (s->cpu_milli ? s->cpu_milli : part(l->cpu_milli, gpus, l->f->gpus));
        m->mem += sign * (s->mem ? s->mem : part(l->mem, gpus, l->f->gpus));
        m->guests += sign;
        touch_machine(p, s->node);
    }
}

void orr_booked_take(proof *p, live *l)
{
    book(p, l, 1);
}

void orr_booked_give(proof *p, live *l)
{
    book(p, l, -1);
}

void orr_booked_block(proof *p, const live *l, orr_time until)
{
    for (size_t i = 0; i < l->slices.n; i++)
        for (uint64_t mask = l->slices.at[i].gpus; mask; mask &= mask - 1)
            p->cards[p->machines[l->slices.at[i].node].first + lowest(mask)].blocked = until;
}

/* When the last of its GPUs is free of whoever saves on it. */
orr_time orr_booked_vacant(const proof *p, const live *l, orr_time at)
{
    for (size_t i = 0; i < l->slices.n; i++)
        for (uint64_t mask = l->slices.at[i].gpus; mask; mask &= mask - 1) {
            const card *c = &p->cards[p->machines[l->slices.at[i].node].first + lowest(mask)];
            at = c->blocked > at ? c->blocked : at;
        }
    return at;
}

/* ---- while they save --------------------------------------------------------------------------------------------- */

/* Is its part of this GPU still there? */
static bool is_left(const live *l, const orr_log_slice *s, const machine *m, const card *c)
{
    if (c->used + c->kept + s->milli > 1000)
        return false;
    return s->milli == 1000 || !m->kind->gpu_mem || c->mem + c->mem_kept + l->gpu_mem <= m->kind->gpu_mem;
}

static void keep_card(live *l, const orr_log_slice *s, card *c, int sign)
{
    c->kept += sign * s->milli;
    c->mem_kept += s->milli < 1000 ? sign * l->gpu_mem : 0;
    l->kept += sign * s->milli;
}

/* What nobody was given in the commit that took it away stays with it until it has saved. */
static void keep_rest(proof *p, live *l)
{
    l->keeps.n = 0;
    for (size_t i = 0; i < l->slices.n; i++) {
        const orr_log_slice *s = &l->slices.at[i];
        const machine *m = &p->machines[s->node];
        uint64_t keeps = 0;
        for (uint64_t mask = s->gpus; mask; mask &= mask - 1) {
            card *c = &p->cards[m->first + lowest(mask)];
            if (!is_left(l, s, m, c))
                continue;
            keep_card(l, s, c, 1);
            keeps |= mask & (~mask + 1);
        }
        ORR_VEC_PUSH(&l->keeps, keeps);
    }
}

void orr_booked_free_kept(proof *p, live *l)
{
    for (size_t i = 0; i < l->keeps.n; i++)
        for (uint64_t mask = l->keeps.at[i]; mask; mask &= mask - 1)
            keep_card(l, &l->slices.at[i], &p->cards[p->machines[l->slices.at[i].node].first + lowest(mask)], -1);
    l->keeps.n = 0;
}

/* ---- after a commit ---------------------------------------------------------------------------------------------- */

/* O(log nodes): the node that has this GPU. */
static int32_t node_of(const proof *p, int64_t gpu)
{
    int64_t low = 0, high = p->nodes - 1;
    while (low < high) {
        const int64_t middle = (low + high + 1) / 2;
        if (p->machines[middle].first <= gpu)
            low = middle;
        else
            high = middle - 1;
    }
    return (int32_t)low;
}

static bool holds_gpu(const live *l, int32_t node, int gpu)
{
    for (size_t i = 0; i < l->slices.n; i++)
        if (l->slices.at[i].node == node && l->slices.at[i].gpus >> gpu & 1)
            return true;
    return false;
}

static void tell_double(proof *p, int64_t i)
{
    const int32_t node = node_of(p, i);
    const int gpu = (int)(i - p->machines[node].first);
    char name[64];
    orr_text who = {0};
    orr_booked_gpu_name(p, node, gpu, name, sizeof name);
    for (const live *l = p->first; l && who.n < 160; l = l->after)
        if ((l->f->stage == HOLDING || l->f->stage == SAVING) && holds_gpu(l, node, gpu)) {
            p->job = l->f->id;
            orr_text_addf(&who, "%s%s", who.n ? ", " : "", l->f->id);
        }
    orr_proof_finds(p, RULE_CAPACITY, name, "%d thousandths of it are given away, to %s",
                    p->cards[i].used + p->cards[i].kept,
                    who.n ? who.at : "nobody");
    orr_text_fini(&who);
}

static void check_card(proof *p, int64_t i)
{
    char name[64];
    const card *c = &p->cards[i];
    if (c->used + c->kept > 1000 || c->used < 0)
        tell_double(p, i);
    const int32_t node = node_of(p, i);
    const int64_t has = p->machines[node].kind->gpu_mem;
    if (!has || c->mem + c->mem_kept <= has)
        return;
    orr_booked_gpu_name(p, node, (int)(i - p->machines[node].first), name, sizeof name);
    orr_proof_finds(p, RULE_MEMORY, name, "%" PRId64 " of its %" PRId64 " bytes are given away", c->mem + c->mem_kept,
                    has);
}

static void check_machine(proof *p, int32_t node)
{
    char name[64];
    const machine *m = &p->machines[node];
    orr_booked_node_name(p, node, name, sizeof name);
    if (m->kind->cpus && m->cpu_milli > INT64_C(1000) * m->kind->cpus)
        orr_proof_finds(p, RULE_HOST, name, "%" PRId64 " thousandths of its %d cores are given away", m->cpu_milli,
                        m->kind->cpus);
    if (m->kind->mem && m->mem > m->kind->mem)
        orr_proof_finds(p, RULE_HOST, name, "%" PRId64 " of its %" PRId64 " bytes are given away", m->mem,
                        m->kind->mem);
}

void orr_booked_settle(proof *p)
{
    const char *job = p->job;
    for (size_t i = 0; i < p->touched_cards.n; i++) {
        p->cards[p->touched_cards.at[i]].touched = false;
        check_card(p, p->touched_cards.at[i]);
    }
    p->job = NULL;
    for (size_t i = 0; i < p->touched_machines.n; i++) {
        p->machines[p->touched_machines.at[i]].touched = false;
        check_machine(p, p->touched_machines.at[i]);
    }
    p->touched_cards.n = p->touched_machines.n = 0;
    for (size_t i = 0; i < p->savers.n; i++)
        keep_rest(p, p->savers.at[i]);
    p->savers.n = 0;
    p->job = job;
}
