/* The published tables of the FGD experiments, over ten seeds of a generator that is not ours: with pods shuffled and drawn
 * again here, what is allocated in the end lies within three standard deviations of their mean, and the policies stand in
 * the published order. */
#include "fgd.h"

#include "base/mem.h"
#include "base/text.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const char *const policies[] = {"FGD", "BestFit", "GpuPacking", "GpuClustering", "DotProd", "Random"};
enum { POLICIES = 6 };

/* Rows of a table as another: the header, then these. */
static table rows_of(const table *t, const size_t *rows, size_t n)
{
    table out = *t;
    out.rows = orr_xcalloc(n + 1, sizeof *out.rows);
    out.rows[0] = t->rows[0];
    for (size_t i = 0; i < n; i++)
        out.rows[i + 1] = t->rows[rows[i] + 1];
    out.rows_all = n + 1;
    out.count = n;
    return out;
}

static void shuffle(size_t *rows, size_t n)
{
    for (size_t i = n; i > 1; i--) {
        const size_t k = (size_t)rand() % i, kept = rows[i - 1];
        rows[i - 1] = rows[k];
        rows[k] = kept;
    }
}

static int64_t asked(const table *pods, size_t row, bool each)
{
    const int64_t gpus = table_number(pods, row, "num_gpu");
    return gpus ? (each ? 1 : gpus) * table_number(pods, row, "gpu_milli") : 0;
}

/* All pods in another order, then some of them again until they ask for 1.3 times what there is. */
static table arrivals_of(const table *pods, int64_t capacity)
{
    size_t n = pods->count, *rows = orr_xcalloc(2 * n, sizeof *rows);
    int64_t sum = 0;
    for (size_t i = 0; i < n; i++) {
        rows[i] = i;
        sum += asked(pods, i, false);
    }
    shuffle(rows, n);
    for (size_t next; n < 2 * pods->count; sum += asked(pods, next, false)) {
        next = (size_t)rand() % pods->count;
        if (10 * (sum + asked(pods, next, true)) > 13 * capacity)
            break;
        rows[n++] = next;
    }
    table out = rows_of(pods, rows, n);
    free(rows);
    return out;
}

static table nodes_of(const table *nodes, int64_t *capacity)
{
    size_t *rows = orr_xcalloc(nodes->count, sizeof *rows);
    *capacity = 0;
    for (size_t i = 0; i < nodes->count; i++) {
        rows[i] = i;
        *capacity += 1000 * table_number(nodes, i, "gpu");
    }
    shuffle(rows, nodes->count);
    table out = rows_of(nodes, rows, nodes->count);
    free(rows);
    return out;
}

static double number(const table *t, size_t row, const char *column)
{
    double v = NAN;
    const char *text = table_text(t, row, column);
    assert_true(orr_parse_double(text, strlen(text), &v));
    return v;
}

static void check(const table *published, const char *policy, double per_cent)
{
    for (size_t i = 0; i < published->count; i++) {
        if (strcmp(table_text(published, i, "trace"), "default") != 0 || number(published, i, "arrived_pct") < 130 ||
            strcmp(table_text(published, i, "policy"), policy) != 0)
            continue;
        const double mean = number(published, i, "mean"), off = per_cent - mean, bound = 3 * number(published, i, "std");
        if (fabs(off) > bound)
            fail_msg("%s: %.2f %% are allocated, published are %.2f, and %.2f off", policy, per_cent, mean, bound);
        return;
    }
    fail_msg("%s isn't published", policy);
}

static void as_published(void **state)
{
    (void)state;
    char pods_path[1024], nodes_path[1024], published_path[1024];
    const char *why = "one trace is enough under sanitizers";
    if (!run_shared(published_path, "golden/fgd/published_allocation_ratio_pct_curves.csv"))
        why = "no data outside the tree";
    else if (!FGD_SLOW)
        why = NULL;
    if (why) {
        golden_skipped("fgd seeds", why);
        return;
    }
    assert_true(run_shared(pods_path, "data/openb/openb_pod_list_default.csv"));
    assert_true(run_shared(nodes_path, "golden/fgd/default.seed42.nodes.csv"));
    table *all_pods = table_read(pods_path), *all_nodes = table_read(nodes_path), *published = table_read(published_path);
    int64_t capacity;
    double is[POLICIES];
    srand(1);
    table nodes = nodes_of(all_nodes, &capacity), pods = arrivals_of(all_pods, capacity);
    fgd_world *w = fgd_open(&pods, &nodes, all_pods, "0.95");
    for (int p = 0; p < POLICIES; p++) {
        fgd_run *r = fgd_go(w, policies[p], 1);
        is[p] = 100 * (double)r->used / (double)capacity;
        fgd_done(r);
        check(published, policies[p], is[p]);
    }
    assert_true(is[0] > is[1] && is[1] > fmax(is[2], is[3]) && fmin(is[2], is[3]) > is[4] && is[4] > is[5]);
    fgd_close(w);
    free(pods.rows);
    free(nodes.rows);
    table_free(all_pods);
    table_free(all_nodes);
    table_free(published);
    golden_ran("fgd seeds");
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(as_published)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
