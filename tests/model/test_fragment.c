/* Fragmentation by hand, and by its definition on random nodes. */
#include <orrery/fragment.h>

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static double of(const orr_fragment_class *classes, size_t n, const orr_remnant *left)
{
    orr_fragments *f = orr_fragments_create(classes, n);
    double sum = orr_fragments_of(f, left);
    orr_fragments_destroy(f);
    return sum;
}

/* Four classes on a node with GPUs of 1000, 1000, 600 and 200 left. A job of 4 cores and half a GPU adds 400 where it
 * breaks a whole GPU, and takes 260 away on the one that is broken already. */
static void a_node_by_hand(void **state)
{
    (void)state;
    static const orr_fragment_class classes[] = {
        {4000, 1, 500, 1, 0.4}, {8000, 1, 1000, 1, 0.3}, {8000, 2, 1000, 1, 0.2}, {16000, 0, 0, 1, 0.1}};
    static const struct {
        int64_t cores;
        int32_t milli[4];
        double fragment;
    } rows[] = {
        {32000, {1000, 1000, 600, 200}, 760},  /* .4 x 200 + .3 x 800 + .2 x 800 + .1 x 2800 */
        {28000, {500, 1000, 600, 200}, 1160},  /* .4 x 200 + .3 x 1300 + .2 x 2300 + .1 x 2300 */
        {28000, {1000, 1000, 100, 200}, 500},  /* .4 x 300 + .3 x 300 + .2 x 300 + .1 x 2300 */
        {3999, {1000, 1000, 600, 200}, 2800},  /* too few cores for anybody */
        {32000, {0, 0, 0, 0}, 0},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        orr_remnant left = {.cpu_milli = rows[i].cores, .type = 1, .gpus = 4};
        memcpy(left.milli, rows[i].milli, sizeof rows[i].milli);
        const double is = of(classes, 4, &left);
        if (fabs(is - rows[i].fragment) > 1e-9)
            fail_msg("row %zu: %g", i, is);
    }
}

/* ---- the definition ---------------------------------------------------------------------------------------------- */

static double lost_to(const orr_fragment_class *c, const orr_remnant *left)
{
    double all = 0, small = 0;
    int32_t fit = 0;
    for (int32_t g = 0; g < left->gpus; g++) {
        all += left->milli[g];
        fit += left->milli[g] >= c->milli;
        small += left->milli[g] < c->milli ? left->milli[g] : 0;
    }
    const bool hosts = c->gpus > 0 && (c->types & left->type) && c->cpu_milli <= left->cpu_milli && fit >= c->gpus;
    return hosts ? small : all;
}

static int below(int n)
{
    return rand() % n;
}

static void is_its_definition(void **state)
{
    (void)state;
    srand(7);
    for (int trial = 0; trial < 2000; trial++) {
        orr_fragment_class classes[6];
        orr_remnant left = {.cpu_milli = below(20), .type = (uint64_t)1 << below(2), .gpus = below(9)};
        double all = 0, wanted = 0, by[ORR_FRAGMENT_CAUSES], parts = 0, lost = 0;
        for (int32_t g = 0; g < left.gpus; g++)
            all += left.milli[g] = below(3) ? below(1001) : 1000;
        for (int i = 0; i < 6; i++) {
            const int32_t gpus = below(4);
            classes[i] = (orr_fragment_class){below(20), gpus, gpus ? (below(2) ? 1000 : 1 + below(1000)) : 0,
                                              (uint64_t)(1 + below(3)), 1.0 / 6};
            wanted += lost_to(&classes[i], &left) / 6;
        }
        orr_fragments *f = orr_fragments_create(classes, 6);
        orr_fragments_by_cause(f, &left, by);
        for (int c = 0; c < ORR_FRAGMENT_CAUSES; c++) {
            parts += by[c];
            lost += c == ORR_FRAGMENT_USABLE ? 0 : by[c];
        }
        assert_true(fabs(orr_fragments_of(f, &left) - wanted) < 1e-6);
        assert_true(fabs(lost - wanted) < 1e-6 && fabs(parts - all) < 1e-6);
        orr_fragments_destroy(f);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_node_by_hand),
        cmocka_unit_test(is_its_definition),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
