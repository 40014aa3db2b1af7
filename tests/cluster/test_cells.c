/* Cells: splitting and merging buddies, quotas that can't be carved, pins, health; and on random requests that a VC is
 * answered as if it were alone. */
#include "base/rng.h"
#include "cluster/cells.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>

#include <cmocka.h>

/* Racks of 2 nodes of 2 switches of 2 GPUs, at level 4, 3, 2 and 1. Nodes are numbered through. */
static orr_cells *racks(int32_t count)
{
    const orr_cell_level levels[] = {{"switch", 2, false}, {"node", 2, true}, {"rack", 2, false}};
    orr_cells *cells = orr_cells_create();
    int32_t chain;
    assert_int_equal(orr_cells_add_chain(cells, "r", "V100", levels, 3, &chain, NULL), ORR_OK);
    for (int32_t r = 0; r < count; r++) {
        orr_leaf leaves[8];
        for (int32_t i = 0; i < 8; i++)
            leaves[i] = (orr_leaf){2 * r + i / 4, i % 4};
        orr_cells_add_top(cells, chain, leaves);
    }
    return cells;
}

static void add_vc(orr_cells *cells, const char *name, const int32_t quota[5])
{
    int32_t vc = orr_cells_add_vc(cells, name);
    for (int32_t l = 4; l >= 1; l--)
        if (quota[l])
            orr_cells_add_quota(cells, vc, 0, l, quota[l]);
}

static orr_gang *gang_of(orr_cells *cells, int32_t vc, int32_t gpus, int32_t priority)
{
    orr_gang *g = NULL;
    const orr_cells_request r = {.vc = vc, .gpus = gpus, .priority = priority};
    assert_int_equal(orr_gang_create(cells, &r, &g, NULL), ORR_OK);
    return g;
}

static orr_gang *taken(orr_cells *cells, int32_t vc, int32_t gpus, int32_t priority)
{
    orr_gang *g = gang_of(cells, vc, gpus, priority);
    assert_int_equal(orr_gang_ask(g, NULL, true), ORR_CELLS_BIND);
    orr_gang_take(g);
    return g;
}

/* Whole free cells of the levels 1 to 4. */
static void free_are(const orr_cells *cells, int32_t gpus, int32_t switches, int32_t nodes, int32_t whole)
{
    assert_int_equal(orr_cells_free(cells, 0, 1), gpus);
    assert_int_equal(orr_cells_free(cells, 0, 2), switches);
    assert_int_equal(orr_cells_free(cells, 0, 3), nodes);
    assert_int_equal(orr_cells_free(cells, 0, 4), whole);
}

static void first_leaf(const orr_gang *g, int32_t node, int32_t gpu)
{
    int32_t gpus;
    const orr_leaf *at = orr_gang_pod(g, 0, &gpus);
    assert_int_equal(at->node, node);
    assert_int_equal(at->gpu, gpu);
}

/* A switch's quota is cut from a rack by way of a node; the next comes from what is left over; all merge again. */
static void split_and_merge(void **state)
{
    (void)state;
    orr_cells *cells = racks(2);
    add_vc(cells, "a", (int32_t[]){0, 0, 3, 0, 0});
    add_vc(cells, "b", (int32_t[]){0, 0, 0, 0, 1});
    assert_int_equal(orr_cells_ready(cells, NULL), ORR_OK);
    free_are(cells, 0, 0, 0, 2);
    orr_gang *one = taken(cells, 0, 1, 0);
    free_are(cells, 0, 1, 1, 1);
    orr_gang *two = taken(cells, 0, 1, 0); /* beside the first, in the same switch */
    free_are(cells, 0, 1, 1, 1);
    orr_gang *three = taken(cells, 0, 2, 0);
    free_are(cells, 0, 0, 1, 1);
    orr_gang *four = taken(cells, 0, 2, 0);
    free_are(cells, 0, 1, 0, 1);
    first_leaf(one, 0, 0);
    first_leaf(two, 0, 1);
    first_leaf(three, 0, 2);
    first_leaf(four, 1, 0);
    assert_int_equal(orr_gang_ask(gang_of(cells, 0, 1, 0), NULL, true), ORR_CELLS_WAIT); /* the quota is used up */
    orr_gang *rack = taken(cells, 1, 8, 0);
    first_leaf(rack, 2, 0);
    orr_gang_release(one);
    free_are(cells, 0, 1, 0, 0); /* its switch is b's no more than before: two holds it */
    orr_gang_release(two);
    free_are(cells, 0, 2, 0, 0);
    orr_gang_release(three);
    free_are(cells, 0, 1, 1, 0);
    orr_gang_release(four);
    free_are(cells, 0, 0, 0, 1);
    orr_gang_release(rack);
    free_are(cells, 0, 0, 0, 2);
    orr_cells_destroy(cells);
}

/* Quotas of two VCs on 2 racks = 4 nodes = 8 switches, and a pinned GPU or none. */
static void what_can_be_carved(void **state)
{
    static const struct {
        const char *name;
        int32_t a[5], b[5];
        int32_t pins; /* GPUs pinned, in different racks */
        orr_err code;
    } rows[] = {
        {"all of it", {0, 0, 0, 0, 1}, {0, 0, 0, 2, 0}, 0, ORR_OK},
        {"all of it in pieces", {0, 4, 1, 1, 0}, {0, 0, 1, 1, 0}, 0, ORR_OK},
        {"a rack too much", {0, 0, 0, 0, 2}, {0, 0, 0, 0, 1}, 0, ORR_E_BAD_CLUSTER},
        {"a GPU too much", {0, 1, 0, 0, 1}, {0, 0, 0, 0, 1}, 0, ORR_E_BAD_CLUSTER},
        {"racks beside a pin", {0, 0, 0, 0, 1}, {0, 0, 0, 1, 0}, 1, ORR_OK},
        {"enough GPUs, but no whole rack left by two pins", {0, 0, 0, 0, 1}, {0}, 2, ORR_E_BAD_CLUSTER},
        {"whole nodes left by two pins", {0, 0, 0, 1, 0}, {0, 0, 0, 1, 0}, 2, ORR_OK},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        orr_cells *cells = racks(2);
        add_vc(cells, "a", rows[i].a);
        add_vc(cells, "b", rows[i].b);
        for (int32_t p = 0; p < rows[i].pins; p++) {
            char name[16];
            snprintf(name, sizeof name, "p%d", p);
            orr_cells_add_pin(cells, 0, 0, 1, (orr_leaf){2 * p, 1}, name);
        }
        orr_error e = {0};
        if (orr_cells_ready(cells, &e) != rows[i].code)
            fail_msg("%s: %s", rows[i].name, e.message);
        orr_cells_destroy(cells);
    }
}

/* A pinned node is used by who asks for it by name, and by nobody else. */
static void pins_and_errors(void **state)
{
    (void)state;
    orr_cells *cells = racks(2);
    add_vc(cells, "a", (int32_t[]){0, 0, 0, 1, 0});
    add_vc(cells, "b", (int32_t[]){0, 0, 0, 1, 0});
    orr_cells_add_pin(cells, 0, 0, 3, (orr_leaf){3, 0}, "mine");
    assert_int_equal(orr_cells_ready(cells, NULL), ORR_OK);
    orr_gang *pinned = NULL, *none = NULL;
    assert_int_equal(orr_gang_create(cells, &(orr_cells_request){.vc = 0, .gpus = 2, .pin = "mine"}, &pinned, NULL),
                     ORR_OK);
    assert_int_equal(orr_gang_ask(pinned, NULL, true), ORR_CELLS_BIND);
    first_leaf(pinned, 3, 0);
    const orr_cells_request bad[] = {
        {.vc = 2, .gpus = 1},
        {.vc = 0, .gpus = 0},
        {.vc = 0, .gpus = 1, .priority = ORR_MAX_PRIORITY + 1},
        {.vc = 0, .gpus = 1, .priority = -2},
        {.vc = 1, .gpus = 1, .pin = "mine"},
        {.vc = 0, .gpus = 1, .pin = "mine", .priority = ORR_OPPORTUNISTIC},
        {.vc = 0, .gpus = 1, .type = "K80"},
        {.vc = 0, .members = &(orr_member){0, 1}, .member_count = 1},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_int_equal(orr_gang_create(cells, &bad[i], &none, NULL), ORR_E_BAD_VALUE);
    assert_null(none);
    orr_gang *too_wide = gang_of(cells, 1, 8, 0);
    assert_false(orr_gang_possible(too_wide));
    assert_true(orr_gang_possible(gang_of(cells, 1, 4, 0)));
    orr_cells_destroy(cells);
}

/* Opportunistic gangs stay together and away from others, and leave when their GPUs are needed. */
static void opportunists(void **state)
{
    (void)state;
    orr_cells *cells = racks(1);
    add_vc(cells, "a", (int32_t[]){0, 0, 0, 2, 0});
    assert_int_equal(orr_cells_ready(cells, NULL), ORR_OK);
    orr_gang *owner = taken(cells, 0, 2, 0), *idle = taken(cells, 0, 2, -1), *more = taken(cells, 0, 1, -1);
    first_leaf(owner, 0, 0);
    first_leaf(idle, 1, 0);
    first_leaf(more, 1, 2);
    orr_gang *next = gang_of(cells, 0, 4, 0);
    assert_int_equal(orr_gang_ask(next, NULL, false), ORR_CELLS_PREEMPT); /* only looks */
    assert_int_equal(orr_gang_state_now(next), ORR_GANG_PENDING);
    assert_int_equal(orr_gang_ask(next, NULL, true), ORR_CELLS_PREEMPT);
    orr_gang *const *victims;
    assert_int_equal(orr_gang_victims(next, &victims), 2);
    assert_ptr_equal(victims[0], more); /* the switch with fewer of them comes first */
    assert_ptr_equal(victims[1], idle);
    assert_int_equal(orr_gang_state_now(idle), ORR_GANG_GIVES_WAY);
    assert_int_equal(orr_cells_look(cells, (orr_leaf){1, 0}).state, ORR_LEAF_RESERVING);
    assert_int_equal(orr_cells_look(cells, (orr_leaf){1, 3}).state, ORR_LEAF_RESERVED);
    orr_gang_release(idle);
    assert_int_equal(orr_gang_ask(next, NULL, true), ORR_CELLS_PREEMPT);
    orr_gang_release(more);
    assert_int_equal(orr_gang_ask(next, NULL, true), ORR_CELLS_BIND);
    orr_gang_take(next);
    assert_int_equal(orr_cells_look(cells, (orr_leaf){1, 3}).state, ORR_LEAF_USED);
    orr_cells_destroy(cells);
}

/* GPUs that somebody else gave are held opportunistically, whatever the gang is. */
static void adopted(void **state)
{
    (void)state;
    orr_cells *cells = racks(1);
    add_vc(cells, "a", (int32_t[]){0, 0, 0, 2, 0});
    assert_int_equal(orr_cells_ready(cells, NULL), ORR_OK);
    orr_gang *g = gang_of(cells, 0, 2, 3), *other = gang_of(cells, 0, 2, 0);
    const orr_leaf leaves[] = {{0, 1}, {1, 2}}, gone[] = {{0, 0}, {7, 0}};
    assert_true(orr_gang_adopt(g, leaves, 2));
    assert_true(orr_gang_lazily_preempted(g));
    assert_int_equal(orr_cells_look(cells, leaves[1]).priority, ORR_OPPORTUNISTIC);
    assert_false(orr_gang_adopt(other, leaves, 2)); /* held */
    assert_false(orr_gang_adopt(other, gone, 2));   /* no such GPU */
    orr_gang_release(g);
    assert_int_equal(orr_cells_look(cells, leaves[0]).state, ORR_LEAF_FREE);
    free_are(cells, 0, 0, 0, 1);
    orr_cells_destroy(cells);
}

/* ---- a VC is answered as if it were alone ---- */

enum { VCS = 3, STEPS = 1500, LIVE = 24 };
static const int32_t quota[VCS][5] = {{0, 0, 1, 1, 1}, {0, 1, 0, 2, 0}, {0, 0, 2, 0, 1}};

typedef struct pair {
    orr_gang *here, *alone; /* in the shared cells; in cells where the VC is the only one (NULL: opportunistic) */
    int32_t vc;
} pair;

typedef struct twins {
    orr_cells *shared, *own[VCS];
    pair live[LIVE];
    int32_t count;
    gsl_rng *rng;
} twins;

static int32_t below(twins *t, int32_t n)
{
    return (int32_t)gsl_rng_uniform_int(t->rng, (unsigned long)n);
}

static void drop(twins *t, int32_t i)
{
    orr_gang_destroy(t->live[i].here);
    orr_gang_destroy(t->live[i].alone);
    t->live[i] = t->live[--t->count];
}

static int32_t find(const twins *t, const orr_gang *g)
{
    for (int32_t i = 0; i < t->count; i++)
        if (t->live[i].here == g || t->live[i].alone == g)
            return i;
    fail_msg("a victim that holds nothing");
    return -1;
}

/* Those in the way of g leave both cells. Returns how many of them were guaranteed. */
static int32_t drop_victims(twins *t, const orr_gang *g)
{
    orr_gang *const *victims;
    int32_t n = orr_gang_victims(g, &victims), own = 0;
    orr_gang *list[LIVE];
    for (int32_t k = 0; k < n; k++)
        list[k] = victims[k];
    for (int32_t k = 0; k < n; k++) {
        int32_t i = find(t, list[k]);
        own += t->live[i].alone != NULL;
        drop(t, i);
    }
    return own;
}

static bool settle(twins *t, orr_gang *g)
{
    orr_cells_answer answer = orr_gang_ask(g, NULL, true);
    if (answer == ORR_CELLS_PREEMPT) {
        drop_victims(t, g);
        answer = orr_gang_ask(g, NULL, true);
        assert_int_equal(answer, ORR_CELLS_BIND);
    }
    if (answer == ORR_CELLS_BIND)
        orr_gang_take(g);
    return answer == ORR_CELLS_BIND;
}

/* A guaranteed gang waits here if and only if it would alone, and the same guaranteed gangs have to leave for it. */
static bool settle_both(twins *t, const pair *p)
{
    orr_gang *const *victims;
    bool here = orr_gang_ask(p->here, NULL, true) != ORR_CELLS_WAIT;
    bool alone = orr_gang_ask(p->alone, NULL, true) != ORR_CELLS_WAIT;
    assert_int_equal(here, alone);
    if (!here)
        return false;
    int32_t own = orr_gang_victims(p->alone, &victims);
    for (int32_t i = 0; i < own; i++)
        find(t, victims[i]);
    assert_int_equal(drop_victims(t, p->here), own);
    assert_int_equal(orr_gang_ask(p->here, NULL, true), ORR_CELLS_BIND);
    assert_int_equal(orr_gang_ask(p->alone, NULL, true), ORR_CELLS_BIND);
    orr_gang_take(p->here);
    orr_gang_take(p->alone);
    return true;
}

static void ask_both(twins *t)
{
    int32_t vc = below(t, VCS), gpus = 1 + below(t, 9), priority = below(t, 5) - 1;
    pair p = {.here = gang_of(t->shared, vc, gpus, priority), .vc = vc};
    if (priority >= 0)
        p.alone = gang_of(t->own[vc], 0, gpus, priority);
    if (p.alone ? settle_both(t, &p) : settle(t, p.here)) {
        t->live[t->count++] = p;
        return;
    }
    orr_gang_destroy(p.here);
    orr_gang_destroy(p.alone);
}

/* At each level what is left covers what VCs may still claim. */
static void still_safe(const orr_cells *cells)
{
    const orr_chain *c = &cells->chains.at[0];
    for (int32_t l = 1; l <= c->levels; l++)
        assert_true(c->left[l] >= c->claims[l]);
}

static void answered_as_if_alone(void **state)
{
    (void)state;
    twins t = {.shared = racks(5), .rng = orr_rng_create(7, "cells")};
    for (int32_t v = 0; v < VCS; v++) {
        add_vc(t.shared, "v", quota[v]);
        t.own[v] = racks(2);
        add_vc(t.own[v], "v", quota[v]);
        assert_int_equal(orr_cells_ready(t.own[v], NULL), ORR_OK);
    }
    assert_int_equal(orr_cells_ready(t.shared, NULL), ORR_OK);
    for (int32_t step = 0; step < STEPS; step++) {
        if (t.count == LIVE || (t.count && below(&t, 3) == 0))
            drop(&t, below(&t, t.count));
        else
            ask_both(&t);
        still_safe(t.shared);
    }
    while (t.count)
        drop(&t, t.count - 1);
    free_are(t.shared, 0, 0, 0, 5);
    orr_cells_destroy(t.shared);
    for (int32_t v = 0; v < VCS; v++)
        orr_cells_destroy(t.own[v]);
    gsl_rng_free(t.rng);
}

/* ---- failures ---- */

/* A cell and its peer: each other's, and so are those above them. */
static void check_pair(const orr_cell *p)
{
    const orr_cell *v = p->peer;
    assert_true(v->peer == p && v->level == p->level && v->chain == p->chain);
    if (v->parent)
        assert_ptr_equal(p->parent->peer, v->parent);
    else
        assert_true(!p->parent || (p->parent->split && !p->parent->peer));
    bool doomed = orr_cell_is_in(p, ORR_IN_DOOMED);
    assert_true(v->used || p->pinned || p->bad); /* bound for a reason */
    assert_int_equal(doomed, !v->parent && !v->used && !p->pinned);
}

static void check_cell(const orr_cells *cells, const orr_cell *p)
{
    bool bad = p->kid_count == 0 && cells->down[p->node];
    int32_t used = p->kid_count ? 0 : p->priority != ORR_FREE_PRIORITY;
    for (int32_t i = 0; i < p->kid_count; i++) {
        bad |= p->kids[i].bad;
        used += p->kids[i].used;
    }
    assert_int_equal(p->bad, bad);
    assert_int_equal(p->used, used);
    assert_int_equal(orr_cell_is_in(p, ORR_IN_BAD), p->bad && orr_cell_is_free(p));
    if (p->bad && p->parent && p->parent->peer)
        assert_non_null(p->peer); /* shown */
    if (p->peer)
        check_pair(p);
}

/* What VCs may claim is what isn't bound of their quotas; a VC is doomed where, and only where, healthy cells lack. */
static void check_claims(const orr_cells *cells, const orr_chain *c, int32_t level, int32_t healthy)
{
    int32_t claims = 0;
    for (size_t vc = 0; vc < cells->vcs.n; vc++) {
        const orr_holding *h = &cells->vcs.at[vc].of[0];
        int32_t own = 0;
        for (size_t i = 0; i < h->roots.n; i++)
            own += h->roots.at[i]->level == level && !h->roots.at[i]->peer;
        assert_int_equal(h->claims[level], own);
        assert_true(own <= healthy);
        assert_true(!h->doomed[level].n || own >= healthy);
        claims += own;
    }
    assert_int_equal(c->claims[level], claims);
}

/* As the next to ask would find it. */
static void check_books(orr_cells *cells)
{
    const orr_chain *c = &cells->chains.at[0];
    int64_t spare[ORR_LEVEL_SLOTS];
    orr_cells_settle(cells, true);
    orr_cells_spare(c, c->free, c->claims, spare);
    for (int32_t l = 1; l <= c->levels; l++) {
        int32_t left = 0, bad = 0;
        for (int32_t i = 0; i < c->count[l]; i++) {
            check_cell(cells, &c->cells[l][i]);
            left += orr_cell_is_free(&c->cells[l][i]);
            bad += orr_cell_is_in(&c->cells[l][i], ORR_IN_BAD);
        }
        assert_int_equal(c->left[l], left);
        assert_int_equal(c->bad[l].n, bad);
        assert_true(left >= c->claims[l] && spare[l] >= 0);
        check_claims(cells, c, l, left - bad);
    }
}

static void some_event(twins *t)
{
    int32_t node = below(t, 10);
    bool up = below(t, 2);
    orr_cells_node(t->shared, node, up);
}

static void ask_one(twins *t)
{
    pair p = {.vc = below(t, VCS)};
    int32_t gpus = 1 + below(t, 9), priority = below(t, 5) - 1;
    const orr_cells_request r = {.vc = p.vc, .gpus = gpus, .priority = priority, .lazy = below(t, 2)};
    assert_int_equal(orr_gang_create(t->shared, &r, &p.here, NULL), ORR_OK);
    if (settle(t, p.here)) {
        int32_t pod_gpus;
        assert_false(orr_cells_look(t->shared, *orr_gang_pod(p.here, 0, &pod_gpus)).bad);
        t->live[t->count++] = p;
        return;
    }
    orr_gang_destroy(p.here);
}

/* Reserves cells and thinks better of it, now and then. */
static void change_mind(twins *t)
{
    int32_t vc = below(t, VCS), gpus = 1 + below(t, 9), priority = below(t, 3);
    orr_gang *g = gang_of(t->shared, vc, gpus, priority);
    orr_gang_ask(g, NULL, below(t, 2));
    if (below(t, 2))
        some_event(t);
    check_books(t->shared);
    orr_gang_destroy(g);
}

static void some_step(twins *t)
{
    int32_t what = below(t, 6);
    if (what == 0)
        some_event(t);
    else if (what == 1)
        change_mind(t);
    else if (t->count == LIVE || (t->count && what == 2))
        drop(t, below(t, t->count));
    else
        ask_one(t);
}

/* Nodes fail and return at random, gangs come and go: the books are right after every step, and when all is well and
 * empty again nothing is left behind. */
static void health_comes_and_goes(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 12; seed++) {
        twins t = {.shared = racks(5), .rng = orr_rng_create(seed, "health")};
        for (int32_t v = 0; v < VCS; v++)
            add_vc(t.shared, "v", quota[v]);
        if (seed % 2)
            orr_cells_add_pin(t.shared, 0, 0, 2, (orr_leaf){9, 2}, "mine"); /* all that isn't promised, nearly */
        assert_int_equal(orr_cells_ready(t.shared, NULL), ORR_OK);
        for (int32_t step = 0; step < 400; step++) {
            some_step(&t);
            check_books(t.shared);
        }
        while (t.count)
            drop(&t, t.count - 1);
        for (int32_t n = 0; n < 10; n++)
            orr_cells_node(t.shared, n, true);
        check_books(t.shared);
        free_are(t.shared, 0, seed % 2, seed % 2, 5 - seed % 2);
        for (int32_t v = 0; v < VCS; v++)
            assert_int_equal(orr_cells_lost(t.shared, v, 0), 0);
        orr_cells_destroy(t.shared);
        gsl_rng_free(t.rng);
    }
}

/* Empties VC v and lets it ask for whole cells of its quota's level until there are no more. */
static int32_t cells_to_be_had(twins *t, int32_t vc, int32_t gpus)
{
    orr_gang *got[16];
    int32_t n = 0;
    for (int32_t i = t->count; i-- > 0;)
        if (t->live[i].vc == vc)
            drop(t, i);
    for (;; n++) {
        assert_true(n < 16);
        got[n] = gang_of(t->shared, vc, gpus, ORR_MAX_PRIORITY);
        if (!settle(t, got[n]))
            break;
    }
    for (int32_t i = 0; i <= n; i++)
        orr_gang_destroy(got[i]);
    return n;
}

/* VCs of racks, nodes and switches on racks that are all promised. Whatever fails, and whatever the others hold: a VC
 * gets all cells of its quota, but as many as there are bad cells of that level. */
static void no_vc_loses_more_than_has_failed(void **state)
{
    static const int32_t quotas[VCS][5] = {{0, 0, 0, 0, 2}, {0, 0, 0, 4, 0}, {0, 0, 4, 0, 0}};
    static const int32_t level[VCS] = {4, 3, 2}, had[VCS] = {2, 4, 4};
    (void)state;
    int32_t less = 0;
    for (uint64_t seed = 1; seed <= 8; seed++) {
        twins t = {.shared = racks(5), .rng = orr_rng_create(seed, "promise")};
        for (int32_t v = 0; v < VCS; v++)
            add_vc(t.shared, "v", quotas[v]);
        assert_int_equal(orr_cells_ready(t.shared, NULL), ORR_OK);
        const orr_chain *c = &t.shared->chains.at[0];
        for (int32_t step = 0; step < 600; step++) {
            some_step(&t);
            if (step % 8)
                continue;
            int32_t vc = below(&t, VCS), bad = 0, got = cells_to_be_had(&t, vc, c->gpus[level[vc]]);
            for (int32_t i = 0; i < c->count[level[vc]]; i++)
                bad += c->cells[level[vc]][i].bad;
            assert_true(got <= had[vc] && got >= had[vc] - bad);
            less += got < had[vc];
        }
        orr_cells_destroy(t.shared);
        gsl_rng_free(t.rng);
    }
    assert_true(less > 20); /* it happens */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(split_and_merge),
        cmocka_unit_test(what_can_be_carved),
        cmocka_unit_test(pins_and_errors),
        cmocka_unit_test(opportunists),
        cmocka_unit_test(adopted),
        cmocka_unit_test(answered_as_if_alone),
        cmocka_unit_test(health_comes_and_goes),
        cmocka_unit_test(no_vc_loses_more_than_has_failed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
