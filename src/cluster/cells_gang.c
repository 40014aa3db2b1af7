/* Gangs: from the request to GPUs held, over preemption where that is needed.
 *
 * A gang's leaves change hands one by one. While a gang is PREEMPTING its virtual cells are bound to its physical
 * ones already, though others still use them: those are out of their VC's tree, and get their cells back if the
 * preemption is called off. */
#include "cluster/cells.h"

/* ---- the request ------------------------------------------------------------------------------------------------- */

static orr_cell_vc *vc_of(const orr_gang *g)
{
    return &g->cells->vcs.at[g->request.vc];
}

static orr_err find_pin(orr_gang *g, orr_error *e)
{
    orr_cell_vc *vc = vc_of(g);
    for (size_t i = 0; i < vc->pins.n; i++)
        if (strcmp(vc->pins.at[i].name, g->request.pin) == 0)
            g->pin = &vc->pins.at[i];
    if (!g->pin)
        return orr_error_set(e, ORR_E_BAD_VALUE, "the VC '%s' has no pinned cell '%s'", vc->name, g->request.pin);
    if (g->request.priority < 0)
        return orr_error_set(e, ORR_E_BAD_VALUE, "an opportunistic gang can't ask for the pinned cell '%s'",
                             g->pin->name);
    g->chains = (uint64_t)1 << g->pin->chain;
    return ORR_OK;
}

/* The chains it may go to: of its type, and for a guaranteed one those that its VC has cells of. */
static orr_err find_chains(orr_gang *g, orr_error *e)
{
    const orr_cells_request *r = &g->request;
    uint64_t of_type = 0, of_vc = 0;
    for (size_t i = 0; i < g->cells->chains.n; i++) {
        uint64_t bit = (uint64_t)1 << i;
        if ((!r->type || strcmp(r->type, g->cells->chains.at[i].type) == 0) && (!r->chains || r->chains & bit))
            of_type |= bit;
        if (r->priority < 0 || vc_of(g)->of[i].roots.n)
            of_vc |= bit;
    }
    g->chains = of_type & of_vc;
    if (g->chains || (!r->type && !r->chains))
        return ORR_OK;
    return orr_error_set(e, ORR_E_BAD_VALUE,
                         of_type ? "the VC '%s' has no cells of the GPU type '%s'"
                                 : "the VC '%s' can't have the GPU type '%s', which is nowhere",
                         vc_of(g)->name, r->type ? r->type : "");
}

static int by_size(const void *a, const void *b)
{
    int32_t x = *(const int32_t *)a, y = *(const int32_t *)b;
    return (x > y) - (x < y);
}

static orr_err read_members(orr_gang *g, orr_error *e)
{
    const orr_cells_request *r = &g->request;
    int64_t pods = 0, gpus = r->member_count ? 0 : r->gpus;
    for (int32_t i = 0; i < r->member_count; i++) {
        if (r->members[i].pods < 1 || r->members[i].gpus < 1)
            return orr_error_set(e, ORR_E_BAD_VALUE, "a member of a gang has %d pods of %d GPUs", r->members[i].pods,
                                 r->members[i].gpus);
        pods += r->members[i].pods;
        gpus += (int64_t)r->members[i].pods * r->members[i].gpus;
    }
    if (gpus < 1 || gpus > INT32_MAX)
        return orr_error_set(e, ORR_E_BAD_VALUE, "a gang of %lld GPUs", (long long)gpus);
    g->gpus = (int32_t)gpus;
    if (!r->member_count)
        return ORR_OK;
    g->asked = orr_xcalloc((size_t)pods, sizeof *g->asked);
    for (int32_t i = 0; i < r->member_count; i++)
        for (int32_t k = 0; k < r->members[i].pods; k++)
            g->asked[g->asked_pods++] = r->members[i].gpus;
    qsort(g->asked, (size_t)g->asked_pods, sizeof *g->asked, by_size);
    return ORR_OK;
}

static orr_err check_request(const orr_cells *cells, const orr_cells_request *r, orr_error *e)
{
    if (r->vc < 0 || (size_t)r->vc >= cells->vcs.n)
        return orr_error_set(e, ORR_E_BAD_VALUE, "there is no VC %d", r->vc);
    if (r->priority < ORR_OPPORTUNISTIC || r->priority > ORR_MAX_PRIORITY)
        return orr_error_set(e, ORR_E_BAD_VALUE, "a priority of %d isn't in %d..%d", r->priority, ORR_OPPORTUNISTIC,
                             ORR_MAX_PRIORITY);
    return ORR_OK;
}

orr_err orr_gang_create(orr_cells *cells, const orr_cells_request *request, orr_gang **gang, orr_error *e)
{
    orr_err err = check_request(cells, request, e);
    if (err)
        return err;
    orr_gang *g = orr_xcalloc(1, sizeof *g);
    g->cells = cells;
    g->request = *request;
    g->place = cells->gangs.n;
    ORR_VEC_PUSH(&cells->gangs, g);
    err = read_members(g, e);
    if (!err)
        err = request->pin ? find_pin(g, e) : find_chains(g, e);
    if (err) {
        orr_gang_destroy(g);
        return err;
    }
    g->pods = orr_xcalloc((size_t)g->gpus, sizeof *g->pods);
    g->physical = orr_xcalloc((size_t)g->gpus, sizeof *g->physical);
    g->virtual = orr_xcalloc((size_t)g->gpus, sizeof *g->virtual);
    g->leaves = orr_xcalloc((size_t)g->gpus, sizeof *g->leaves);
    *gang = g;
    return ORR_OK;
}

void orr_gang_destroy(orr_gang *g)
{
    if (!g)
        return;
    orr_gang_release(g);
    orr_cells *cells = g->cells;
    orr_gang *last = cells->gangs.at[--cells->gangs.n];
    cells->gangs.at[g->place] = last;
    last->place = g->place;
    ORR_VEC_FREE(&g->victims);
    ORR_VEC_FREE(&g->rivals);
    free(g->asked);
    free(g->pods);
    free(g->physical);
    free(g->virtual);
    free(g->leaves);
    free(g);
}

/* ---- out of the VC, and back ------------------------------------------------------------------------------------- */

static void go_opportunistic(orr_gang *g)
{
    for (int32_t i = 0; i < g->gpus; i++) {
        if (g->physical[i]->state != ORR_LEAF_USED) /* promised to somebody already */
            continue;
        orr_leaf_release(g->cells, g->physical[i]);
        orr_leaf_allocate(g->cells, g->physical[i], NULL, ORR_OPPORTUNISTIC);
    }
    g->lazy_now = true;
    g->virtual_now = false;
}

static void come_back(orr_gang *g)
{
    for (int32_t i = 0; i < g->gpus; i++) {
        if (g->physical[i]->state != ORR_LEAF_USED)
            continue;
        orr_leaf_release(g->cells, g->physical[i]);
        orr_leaf_allocate(g->cells, g->physical[i], g->virtual[i], g -> request.priority);
    }
    g->lazy_now = false;
    g->virtual_now = true;
}

typedef ORR_VEC(orr_gang *) gang_list;

/* Those in the way that may be: `virtual` is what g would get. */
static void preempt_lazily(const orr_gang *g, gang_list *moved)
{
    for (int32_t i = 0; i < g->gpus; i++) {
        const orr_cell *p = g->virtual[i] -> peer;
        if (!p || p->state != ORR_LEAF_USED || !p->user || !p->user->request.lazy || !p->user->virtual_now)
            continue;
        ORR_VEC_PUSH(moved, p->user);
        go_opportunistic(p->user);
    }
}

/* ---- looking for room -------------------------------------------------------------------------------------------- */

/* The pods for this chain. */
static void cut(orr_gang *g, const orr_chain *chain)
{
    g->pod_count = 0;
    if (g->asked) {
        memcpy(g->pods, g->asked, (size_t)g->asked_pods * sizeof *g->pods);
        g->pod_count = g->asked_pods;
        return;
    }
    int32_t node = chain->gpus[chain->node_level], rest = g->gpus % node;
    if (rest)
        g->pods[g->pod_count++] = rest;
    for (int32_t left = g->gpus - rest; left > 0; left -= node)
        g->pods[g->pod_count++] = node;
}

static orr_view *view_of(orr_gang *g, int32_t chain)
{
    if (g->pin)
        return &g->pin->view;
    return g->request.priority < 0 ? &g->cells->chains.at[chain].view : &vc_of(g)->of[chain].view;
}

static bool place_guaranteed(orr_gang *g, int32_t chain, const bool *suggested)
{
    const orr_chain *c = &g->cells->chains.at[chain];
    if (!orr_view_place(view_of(g, chain), c, g->pods, g->pod_count, g->request.priority, suggested, g->virtual))
        return false;
    gang_list moved = {0};
    preempt_lazily(g, &moved);
    bool found = orr_cells_map(g->cells, chain, g->virtual, g->gpus, suggested, g->physical);
    for (size_t i = 0; !found && i < moved.n; i++)
        come_back(moved.at[i]);
    ORR_VEC_FREE(&moved);
    g->virtual_now = found;
    return found;
}

static bool place_in(orr_gang *g, int32_t chain, const bool *suggested)
{
    const orr_chain *c = &g->cells->chains.at[chain];
    cut(g, c);
    if (g->request.priority >= 0)
        return place_guaranteed(g, chain, suggested);
    g->virtual_now = false;
    return orr_view_place(view_of(g, chain), c, g->pods, g->pod_count, ORR_OPPORTUNISTIC, suggested, g->physical);
}

static bool place(orr_gang *g, const bool *suggested)
{
    for (int32_t chain = 0; chain < (int32_t)g->cells->chains.n; chain++)
        if (g->chains >> chain & 1 && place_in(g, chain, suggested))
            return true;
    return false;
}

bool orr_gang_possible(orr_gang *g)
{
    for (int32_t chain = 0; chain < (int32_t)g->cells->chains.n; chain++) {
        if (!(g->chains >> chain & 1))
            continue;
        int32_t *pods = g->pods, count = g->pod_count;
        g->pods = orr_xcalloc((size_t)g->gpus, sizeof *g->pods); /* what it holds is not to be touched */
        cut(g, &g->cells->chains.at[chain]);
        bool could = orr_view_could(view_of(g, chain), g->pods, g->pod_count);
        free(g->pods);
        g->pods = pods;
        g->pod_count = count;
        if (could)
            return true;
    }
    return false;
}

/* ---- who is in the way ------------------------------------------------------------------------------------------- */

static void note(orr_gang ***list, size_t *n, size_t *cap, orr_gang *g)
{
    for (size_t i = 0; i < *n; i++) /* few: gangs in the way of one gang */
        if ((*list)[i] == g)
            return;
    if (*n == *cap)
        *list = orr_vec_grow(*list, cap, *n + 1, sizeof **list);
    (*list)[(*n)++] = g;
}

/* Those that use its GPUs have to leave; those that have reserved them are rivals. */
static void find_victims(orr_gang *g)
{
    g->victims.n = g->rivals.n = 0;
    for (int32_t i = 0; i < g->gpus; i++) {
        const orr_cell *p = g->physical[i];
        if (p->user)
            note(&g->victims.at, &g->victims.n, &g->victims.cap, p->user);
        if (p->claimer && p->claimer != g)
            note(&g->rivals.at, &g->rivals.n, &g->rivals.cap, p->claimer);
    }
}

static bool still_good(const orr_gang *g, const bool *suggested)
{
    for (int32_t i = 0; i < g->gpus; i++)
        if (g->physical[i]->bad || (suggested && !suggested[g->physical[i]->node]))
            return false;
    return true;
}

/* ---- changing hands ---------------------------------------------------------------------------------------------- */

static void reserve(orr_gang *g)
{
    for (int32_t i = 0; i < g->gpus; i++) {
        orr_cell *p = g->physical[i];
        if (p->user) {
            orr_leaf_release(g->cells, p);
            p->user->state = ORR_GANG_GIVES_WAY;
        }
        orr_leaf_allocate(g->cells, p, g->virtual[i], g -> request.priority);
        p->claimer = g;
        p->state = p->user ? ORR_LEAF_RESERVING : ORR_LEAF_RESERVED;
    }
    g->state = ORR_GANG_PREEMPTING;
}

/* What a victim held before: its virtual cell, or nothing but the GPU. */
static void give_back(orr_gang *victim, orr_cell *p)
{
    orr_cell *v = NULL;
    for (int32_t i = 0; victim->virtual_now && i < victim->gpus; i++)
        if (victim->physical[i] == p)
            v = victim->virtual[i];
    orr_leaf_allocate(victim->cells, p, v, victim->request.priority);
}

static void call_off(orr_gang *g)
{
    for (int32_t i = 0; i < g->gpus; i++) {
        orr_cell *p = g->physical[i];
        orr_leaf_release(g->cells, p);
        p->claimer = NULL;
        p->state = p->user ? ORR_LEAF_USED : ORR_LEAF_FREE;
        if (p->user)
            give_back(p->user, p);
    }
}

static void leave(orr_gang *g)
{
    for (int32_t i = 0; i < g->gpus; i++) {
        orr_cell *p = g->physical[i];
        p->user = NULL;
        if (p->state == ORR_LEAF_USED)
            orr_leaf_release(g->cells, p);
        p->state = p->state == ORR_LEAF_USED ? ORR_LEAF_FREE : ORR_LEAF_RESERVED;
    }
}

static void give_all(orr_gang *g)
{
    if (g->state == ORR_GANG_PENDING)
        return;
    if (g->state == ORR_GANG_PREEMPTING)
        call_off(g);
    else
        leave(g);
    g->state = ORR_GANG_PENDING;
    g->lazy_now = g->virtual_now = false;
}

void orr_gang_release(orr_gang *g)
{
    give_all(g);
    orr_cells_settle(g->cells, false);
}

void orr_gang_take(orr_gang *g)
{
    for (int32_t i = 0; i < g->gpus; i++) {
        orr_cell *p = g->physical[i];
        if (g->state == ORR_GANG_PENDING)
            orr_leaf_allocate(g->cells, p, g->virtual_now ? g->virtual[i] : NULL, g->request.priority);
        p->claimer = NULL;
        p->user = g;
        p->state = ORR_LEAF_USED;
    }
    g->state = ORR_GANG_HOLDS;
    orr_cells_settle(g->cells, false);
}

bool orr_gang_adopt(orr_gang *g, const orr_leaf *leaves, int32_t count)
{
    if (g->state != ORR_GANG_PENDING || count != g->gpus)
        return false;
    for (int32_t i = 0; i < count; i++) {
        g->physical[i] = orr_cells_leaf(g->cells, leaves[i]);
        if (!g->physical[i] || g->physical[i]->state != ORR_LEAF_FREE)
            return false;
    }
    g->virtual_now = false;
    g->lazy_now = g->request.priority >= 0;
    orr_gang_take(g);
    return true;
}

/* ---- asking ------------------------------------------------------------------------------------------------------ */

static void copy_leaves(orr_gang *g)
{
    for (int32_t i = 0; i < g->gpus; i++)
        g->leaves[i] = (orr_leaf){g->physical[i]->node, g->physical[i]->gpu};
}

static orr_cells_answer ask_anew(orr_gang *g, const bool *suggested, bool may_preempt)
{
    if (!place(g, suggested))
        return ORR_CELLS_WAIT;
    find_victims(g);
    for (size_t i = 0; may_preempt && i < g->rivals.n; i++)
        give_all(g->rivals.at[i]);
    copy_leaves(g);
    if (!g->victims.n && (may_preempt || !g->rivals.n))
        return ORR_CELLS_BIND;
    if (may_preempt)
        reserve(g);
    return ORR_CELLS_PREEMPT;
}

static orr_cells_answer answer(orr_gang *g, const bool *suggested, bool may_preempt)
{
    g->victims.n = 0;
    if (g->state == ORR_GANG_PENDING)
        return ask_anew(g, suggested, may_preempt);
    if (g->state != ORR_GANG_PREEMPTING)
        return ORR_CELLS_BIND;
    if (may_preempt && !still_good(g, suggested)) {
        orr_gang_release(g);
        return ask_anew(g, suggested, may_preempt);
    }
    find_victims(g);
    return g->victims.n ? ORR_CELLS_PREEMPT : ORR_CELLS_BIND;
}

/* What was found free is taken next, and must still be free then: it is settled after that. */
orr_cells_answer orr_gang_ask(orr_gang *g, const bool *suggested, bool may_preempt)
{
    orr_cells_settle(g->cells, true);
    orr_cells_answer a = answer(g, suggested, may_preempt);
    if (a != ORR_CELLS_BIND)
        orr_cells_settle(g->cells, false);
    return a;
}

/* ---- what can be seen -------------------------------------------------------------------------------------------- */

orr_gang_state orr_gang_state_now(const orr_gang *g)
{
    return g->state;
}

bool orr_gang_lazily_preempted(const orr_gang *g)
{
    return g->lazy_now;
}

void *orr_gang_owner(const orr_gang *g)
{
    return g->request.owner;
}

int32_t orr_gang_pods(const orr_gang *g)
{
    return g->pod_count;
}

const orr_leaf *orr_gang_pod(const orr_gang *g, int32_t pod, int32_t *gpus)
{
    const orr_leaf *at = g->leaves;
    for (int32_t i = 0; i < pod; i++)
        at += g->pods[i];
    *gpus = g->pods[pod];
    return at;
}

int32_t orr_gang_victims(const orr_gang *g, orr_gang *const **victims)
{
    *victims = g->victims.at;
    return (int32_t)g->victims.n;
}
