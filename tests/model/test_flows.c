/* Flows that share links: answers worked out by hand, and random graphs against a brute-force oracle that raises all
 * rates in small exact steps (the whole graph, no components, no heap), against conservation, and against the max-min
 * certificate: whoever could get more is stopped by a full link on which nobody of its class stands higher. */
#include "model/flows.h"

#include "base/rng.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const orr_flow_rule plain = {0, 1, INFINITY};

typedef struct told {
    int n;
    void *owner[64];
    double rate[64];
} told;

static void listen(void *self, void *owner, double rate)
{
    told *t = self;
    assert_true(t->n < 64);
    t->owner[t->n] = owner;
    t->rate[t->n++] = rate;
}

static uint32_t over(orr_flows *f, uint64_t key, int32_t link, orr_flow_rule rule)
{
    const orr_flow_use use = {link, 1};
    return orr_flows_add(f, key, NULL, &use, 1, rule);
}

/* ---- by hand ----------------------------------------------------------------------------------------------------- */

/* Three links of 10, 6 and INFINITY. A uses 0 and 1, B 0, C 1, D only the last.
 * Level 3 fills link 1 (A and C), then B takes the 7 that are left of link 0. */
static void a_bottleneck_frees_the_rest_for_others(void **state)
{
    (void)state;
    const double capacity[] = {10, 6, INFINITY};
    const orr_flow_use both[] = {{0, 1}, {1, 1}};
    orr_flows *f = orr_flows_create(capacity, 3, 0);
    uint32_t a = orr_flows_add(f, 1, NULL, both, 2, plain);
    uint32_t b = over(f, 2, 0, plain), c = over(f, 3, 1, plain), d = over(f, 4, 2, plain);
    orr_flows_settle(f, NULL, NULL);
    assert_true(orr_flows_rate(f, a) == 3 && orr_flows_rate(f, c) == 3);
    assert_true(orr_flows_rate(f, b) == 7);
    assert_true(isinf(orr_flows_rate(f, d)));
    orr_flows_destroy(f);
}

static void weights_classes_and_caps(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        orr_flow_rule rule[3];
        double rate[3]; /* of three flows on one link of 12 */
    } rows[] = {
        {"equal", {{0, 1, INFINITY}, {0, 1, INFINITY}, {0, 1, INFINITY}}, {4, 4, 4}},
        {"weights", {{0, 1, INFINITY}, {0, 2, INFINITY}, {0, 3, INFINITY}}, {2, 4, 6}},
        {"a cap leaves more for others", {{0, 1, 2}, {0, 1, INFINITY}, {0, 1, INFINITY}}, {2, 5, 5}},
        {"a cap that isn't reached", {{0, 1, 100}, {0, 1, INFINITY}, {0, 1, INFINITY}}, {4, 4, 4}},
        {"held back", {{0, 1, 0}, {0, 1, INFINITY}, {0, 1, INFINITY}}, {0, 6, 6}},
        {"classes are strict", {{1, 1, INFINITY}, {0, 1, INFINITY}, {1, 9, INFINITY}}, {0, 12, 0}},
        {"a class takes what is left", {{1, 1, INFINITY}, {0, 1, 9}, {1, 2, INFINITY}}, {1, 9, 2}},
        {"classes may be negative", {{0, 1, INFINITY}, {-5, 1, 10}, {0, 1, INFINITY}}, {1, 10, 1}},
    };
    const double capacity = 12;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        orr_flows *f = orr_flows_create(&capacity, 1, 0);
        for (uint32_t k = 0; k < 3; k++)
            assert_int_equal(over(f, k, 0, rows[i].rule[k]), k);
        orr_flows_settle(f, NULL, NULL);
        for (uint32_t k = 0; k < 3; k++)
            if (fabs(orr_flows_rate(f, k) - rows[i].rate[k]) > 1e-12)
                fail_msg("%s: flow %u gets %g instead of %g", rows[i].name, k, orr_flows_rate(f, k), rows[i].rate[k]);
        orr_flows_destroy(f);
    }
}

/* One flow that loads a link twice as much as its rate says. */
static void loads_count(void **state)
{
    (void)state;
    const double capacity[] = {12, 12};
    const orr_flow_use uses[] = {{0, 2}, {1, 0.5}};
    orr_flows *f = orr_flows_create(capacity, 2, 0);
    uint32_t a = orr_flows_add(f, 1, NULL, uses, 2, plain), b = over(f, 2, 0, plain), c = over(f, 3, 1, plain);
    orr_flows_settle(f, NULL, NULL);
    assert_true(orr_flows_rate(f, a) == 4 && orr_flows_rate(f, b) == 4 && orr_flows_rate(f, c) == 10);
    assert_true(orr_flows_alone(f, uses, 2) == 6);
    orr_flows_destroy(f);
}

/* k flows of one link at a cost of p = 0.5 each beyond the first: a message takes k b + (k - 1) p b. */
static void contention_may_waste_capacity(void **state)
{
    (void)state;
    const double capacity = 10;
    orr_flows *f = orr_flows_create(&capacity, 1, 0.5);
    uint32_t a = over(f, 1, 0, plain);
    orr_flows_settle(f, NULL, NULL);
    assert_true(orr_flows_rate(f, a) == 10);
    uint32_t b = over(f, 2, 0, plain);
    orr_flows_settle(f, NULL, NULL);
    assert_true(fabs(orr_flows_rate(f, a) - 10 / 2.5) < 1e-12);
    over(f, 3, 0, plain);
    orr_flows_settle(f, NULL, NULL);
    assert_true(fabs(orr_flows_rate(f, b) - 10.0 / 4) < 1e-12);
    orr_flows_set(f, b, (orr_flow_rule){0, 1, 0}); /* held back: it doesn't contend */
    orr_flows_settle(f, NULL, NULL);
    assert_true(fabs(orr_flows_rate(f, a) - 10 / 2.5) < 1e-12);
    orr_flows_destroy(f);
}

static void only_what_changed_is_looked_at_and_told(void **state)
{
    (void)state;
    const double capacity[] = {10, 10, 10};
    const orr_flow_use joined[] = {{1, 1}, {2, 1}};
    int names[4];
    told t = {0};
    orr_flows *f = orr_flows_create(capacity, 3, 0);
    const orr_flow_use first = {0, 1}, second = {1, 1};
    orr_flows_add(f, 1, &names[0], &first, 1, plain);
    orr_flows_add(f, 3, &names[1], &second, 1, plain);
    orr_flows_settle(f, listen, &t);
    assert_int_equal(t.n, 2);
    assert_int_equal(orr_flows_visited(f), 2);

    t.n = 0;
    uint32_t late =
        orr_flows_add(f, 2, &names[2], joined, 2, plain); /* joins links 1 and 2: link 0 has nothing to do with it */
    orr_flows_settle(f, listen, &t);
    assert_int_equal(orr_flows_visited(f), 4);
    assert_int_equal(t.n, 2);
    assert_ptr_equal(t.owner[0], &names[2]); /* by key */
    assert_ptr_equal(t.owner[1], &names[1]);
    assert_true(t.rate[0] == 5 && t.rate[1] == 5);

    t.n = 0;
    orr_flows_settle(f, listen, &t); /* nothing has changed */
    orr_flows_set(f, late, plain);   /* nor now */
    orr_flows_settle(f, listen, &t);
    assert_int_equal(t.n, 0);
    assert_int_equal(orr_flows_visited(f), 4);

    orr_flows_set_capacity(f, 2, 100); /* looked at, but nobody's rate moves */
    orr_flows_settle(f, listen, &t);
    assert_int_equal(t.n, 0);
    assert_int_equal(orr_flows_visited(f), 6);

    orr_flows_remove(f, late);
    orr_flows_settle(f, listen, &t);
    assert_int_equal(t.n, 1);
    assert_true(t.rate[0] == 10);
    orr_flows_destroy(f);
}

static void capacities_change(void **state)
{
    (void)state;
    const double capacity[] = {INFINITY, 10};
    const orr_flow_use uses[] = {{0, 1}, {1, 1}};
    orr_flows *f = orr_flows_create(capacity, 2, 0);
    uint32_t a = over(f, 1, 0, plain), b = orr_flows_add(f, 2, NULL, uses, 2, plain);
    orr_flows_settle(f, NULL, NULL);
    assert_true(isinf(orr_flows_rate(f, a)) && orr_flows_rate(f, b) == 10);
    orr_flows_set_capacity(f, 0, 12);
    orr_flows_settle(f, NULL, NULL);
    assert_true(orr_flows_rate(f, a) == 6 && orr_flows_rate(f, b) == 6);
    orr_flows_set_capacity(f, 0, INFINITY);
    orr_flows_settle(f, NULL, NULL);
    assert_true(isinf(orr_flows_rate(f, a)) && orr_flows_rate(f, b) == 10);
    orr_flows_destroy(f);
}

static void flows_meet_on_links_that_have_an_end(void **state)
{
    (void)state;
    const double capacity[] = {10, 10, INFINITY, 10};
    const orr_flow_use uses[] = {{0, 1}, {2, 1}, {3, 1}};
    orr_flows *f = orr_flows_create(capacity, 4, 0);
    uint32_t a = orr_flows_add(f, 1, NULL, uses, 2, plain), b = orr_flows_add(f, 2, NULL, uses + 1, 2, plain);
    uint32_t c = over(f, 3, 0, plain), d = over(f, 4, 3, plain);
    assert_false(orr_flows_meet(f, a, b)); /* only on what has no end */
    assert_true(orr_flows_meet(f, a, c) && orr_flows_meet(f, c, a));
    assert_true(orr_flows_meet(f, b, d));
    assert_false(orr_flows_meet(f, c, d));
    orr_flows_destroy(f);
}

/* ---- random graphs ----------------------------------------------------------------------------------------------- */

enum { LINKS = 24, FLOWS = 32, USES = 4 };

typedef struct spec {
    bool alive;
    int32_t n;
    orr_flow_use uses[USES];
    orr_flow_rule rule;
} spec;

typedef struct graph {
    double capacity[LINKS];
    spec flows[FLOWS]; /* its place is its key */
} graph;

static uint32_t below(gsl_rng *r, uint32_t n)
{
    return (uint32_t)gsl_rng_uniform_int(r, n);
}

static spec random_flow(gsl_rng *r)
{
    static const double weights[] = {1, 1, 1, 2, 3.7, 0.01}, loads[] = {1, 1, 1, 2, 0.3};
    spec s = {.alive = true, .n = (int32_t)below(r, USES + 1)};
    for (int32_t i = 0, link = (int32_t)below(r, LINKS - 4 * USES); i < s.n; i++) {
        link += 1 + (int32_t)below(r, 4);
        s.uses[i] = (orr_flow_use){link, loads[below(r, 5)]};
    }
    s.rule = (orr_flow_rule){(int32_t)below(r, 3), weights[below(r, 6)], INFINITY};
    if (below(r, 4) == 0)
        s.rule.cap = below(r, 3) ? gsl_rng_uniform(r) * 4 : 0;
    return s;
}

static double used(const graph *g, const double *rate, int32_t link)
{
    double sum = 0;
    for (int k = 0; k < FLOWS; k++)
        for (int32_t i = 0; g->flows[k].alive && i < g->flows[k].n; i++)
            if (g->flows[k].uses[i].link == link && isfinite(rate[k]))
                sum += rate[k] * g->flows[k].uses[i].load;
    return sum;
}

static bool is_finite(const graph *g, const spec *s)
{
    for (int32_t i = 0; i < s->n; i++)
        if (isfinite(g->capacity[s->uses[i].link]))
            return true;
    return isfinite(s->rule.cap);
}

static double on_link(const spec *s, int32_t link)
{
    for (int32_t i = 0; i < s->n; i++)
        if (s->uses[i].link == link)
            return s->uses[i].load;
    return 0;
}

/* How far the class may rise until this link is full. */
static double headroom(const graph *g, const double *rate, const bool *open, int32_t link)
{
    double grows = 0;
    for (int k = 0; k < FLOWS; k++)
        if (open[k])
            grows += g->flows[k].rule.weight * on_link(&g->flows[k], link);
    return grows > 0 ? fmax(g->capacity[link] - used(g, rate, link), 0) / grows : INFINITY;
}

/* Raises the open flows of one class until the first of them has to stop; false: none is open. */
static bool raise_once(const graph *g, double *rate, bool *open)
{
    double step = INFINITY;
    int32_t full = -1;
    for (int32_t l = 0; l < LINKS; l++) {
        double room = isfinite(g->capacity[l]) ? headroom(g, rate, open, l) : INFINITY;
        if (room < step) {
            step = room;
            full = l;
        }
    }
    int capped = -1;
    for (int k = 0; k < FLOWS; k++) {
        double room = open[k] ? (g->flows[k].rule.cap - rate[k]) / g->flows[k].rule.weight : INFINITY;
        if (room < step) {
            step = room;
            capped = k;
        }
    }
    if (isinf(step))
        return false;
    for (int k = 0; k < FLOWS; k++)
        if (open[k])
            rate[k] += step * g->flows[k].rule.weight;
    for (int k = 0; k < FLOWS; k++)
        open[k] = open[k] && k != capped && (capped >= 0 || on_link(&g->flows[k], full) == 0);
    return true;
}

static void oracle(const graph *g, double *rate)
{
    for (int k = 0; k < FLOWS; k++)
        rate[k] = g->flows[k].alive && !is_finite(g, &g->flows[k]) ? INFINITY : 0;
    for (int32_t class_ = 0; class_ < 3; class_++) {
        bool open[FLOWS];
        for (int k = 0; k < FLOWS; k++)
            open[k] = g->flows[k].alive && g->flows[k].rule.rank == class_ && is_finite(g, &g->flows[k]);
        while (raise_once(g, rate, open))
            ;
    }
}

/* The same graph, made at once. */
static void from_scratch(const graph *g, double *rate)
{
    orr_flows *f = orr_flows_create(g->capacity, LINKS, 0);
    uint32_t number[FLOWS] = {0};
    for (int k = 0; k < FLOWS; k++)
        if (g->flows[k].alive)
            number[k] = orr_flows_add(f, (uint64_t)k, NULL, g->flows[k].uses, g->flows[k].n, g->flows[k].rule);
    orr_flows_settle(f, NULL, NULL);
    for (int k = 0; k < FLOWS; k++)
        rate[k] = g->flows[k].alive ? orr_flows_rate(f, number[k]) : 0;
    orr_flows_destroy(f);
}

static bool is_stopped(const graph *g, const double *rate, int k)
{
    const spec *s = &g->flows[k];
    if (isinf(rate[k]) || rate[k] >= s->rule.cap * (1 - 1e-9))
        return true;
    for (int32_t i = 0; i < s->n; i++) {
        int32_t link = s->uses[i].link;
        if (isinf(g->capacity[link]) || used(g, rate, link) < g->capacity[link] * (1 - 1e-9))
            continue;
        bool highest = true;
        for (int o = 0; o < FLOWS; o++) {
            const spec *other = &g->flows[o];
            if (!other->alive || on_link(other, link) == 0 || other->rule.rank < s->rule.rank)
                continue;
            if (other->rule.rank > s->rule.rank ? rate[o] > 1e-9
                                                : rate[o] / other->rule.weight > rate[k] / s->rule.weight * (1 + 1e-9))
                highest = false;
        }
        if (highest)
            return true;
    }
    return false;
}

static void check(const graph *g, const double *rate, uint64_t seed)
{
    double expected[FLOWS];
    oracle(g, expected);
    for (int32_t l = 0; l < LINKS; l++)
        if (used(g, rate, l) > g->capacity[l] * (1 + 1e-9))
            fail_msg("seed %u: link %d carries more than it can", (unsigned)seed, l);
    for (int k = 0; k < FLOWS; k++) {
        if (!g->flows[k].alive)
            continue;
        if (rate[k] != expected[k] && fabs(rate[k] - expected[k]) > 1e-8 * fmax(1, expected[k]))
            fail_msg("seed %u: flow %d gets %.17g, the oracle says %.17g", (unsigned)seed, k, rate[k], expected[k]);
        if (!is_stopped(g, rate, k))
            fail_msg("seed %u: flow %d could get more", (unsigned)seed, k);
    }
}

typedef struct live {
    graph g;
    orr_flows *f;
    uint32_t number[FLOWS];
} live;

static void change_something(live *v, gsl_rng *r)
{
    int k = (int)below(r, FLOWS);
    spec *s = &v->g.flows[k];
    switch (s->alive ? below(r, 4) : 0) {
    case 0:
        if (s->alive)
            orr_flows_remove(v->f, v->number[k]);
        *s = random_flow(r);
        v->number[k] = orr_flows_add(v->f, (uint64_t)k, NULL, s->uses, s->n, s->rule);
        break;
    case 1:
        orr_flows_remove(v->f, v->number[k]);
        s->alive = false;
        break;
    case 2:
        s->rule = random_flow(r).rule;
        orr_flows_set(v->f, v->number[k], s->rule);
        break;
    default: {
        int32_t link = (int32_t)below(r, LINKS);
        v->g.capacity[link] = below(r, 8) ? 1 + gsl_rng_uniform(r) * 10 : INFINITY;
        orr_flows_set_capacity(v->f, link, v->g.capacity[link]);
    }
    }
}

/* Ten histories of sixty settled changes: each state is right, and the same to the last bit as if it had been made at
 * once. */
static void random_graphs_are_max_min_fair_whatever_came_before(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 10; seed++) {
        gsl_rng *r = orr_rng_create(seed, "flows");
        live v = {0};
        for (int32_t l = 0; l < LINKS; l++)
            v.g.capacity[l] = below(r, 8) ? 1 + (double)below(r, 10) : INFINITY;
        v.f = orr_flows_create(v.g.capacity, LINKS, 0);
        for (int round = 0; round < 60; round++) {
            double rate[FLOWS], fresh[FLOWS];
            for (uint32_t i = 1 + below(r, 6); i; i--)
                change_something(&v, r);
            orr_flows_settle(v.f, NULL, NULL);
            for (int k = 0; k < FLOWS; k++)
                rate[k] = v.g.flows[k].alive ? orr_flows_rate(v.f, v.number[k]) : 0;
            check(&v.g, rate, seed);
            from_scratch(&v.g, fresh);
            for (int k = 0; k < FLOWS; k++)
                if (rate[k] != fresh[k])
                    fail_msg("seed %u: flow %d gets %.17g, and %.17g at once", (unsigned)seed, k, rate[k], fresh[k]);
        }
        orr_flows_destroy(v.f);
        gsl_rng_free(r);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_bottleneck_frees_the_rest_for_others),
        cmocka_unit_test(weights_classes_and_caps),
        cmocka_unit_test(loads_count),
        cmocka_unit_test(contention_may_waste_capacity),
        cmocka_unit_test(only_what_changed_is_looked_at_and_told),
        cmocka_unit_test(capacities_change),
        cmocka_unit_test(flows_meet_on_links_that_have_an_end),
        cmocka_unit_test(random_graphs_are_max_min_fair_whatever_came_before),
    };
    return cmocka_run_group_tests_name("flows", tests, NULL, NULL);
}
