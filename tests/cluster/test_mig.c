/* The hardware's rules for cutting GPUs, against what its makers publish: layouts and counts. */
#include "cluster/mig.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { MOST = 256 };

/* All sets of instances to which none can be added, each once. */
typedef struct layouts {
    const orr_mig_model *model;
    bool twice;           /* with the profile that has one compute and two memory slices */
    uint64_t sets[MOST];  /* bit 8 * profile + start */
    uint64_t kinds[MOST]; /* distinct multisets: 8 bits a profile */
    int count, kind_count;
} layouts;

static bool is_used(const layouts *l, int32_t profile)
{
    return l->twice || strcmp(l->model->profiles[profile].name, "1g+") != 0;
}

static void keep(uint64_t *list, int *n, uint64_t x)
{
    for (int i = 0; i < *n; i++)
        if (list[i] == x)
            return;
    assert_true(*n < MOST);
    list[(*n)++] = x;
}

/* Instances are added in ascending order of (profile, start), so that a set is met once; whether it is maximal is asked of all. */
static void add_instances(layouts *l, int from, orr_mig_cut cut, uint64_t set, uint64_t kind)
{
    bool full = true;
    for (int at = 0; at < 8 * l->model->count; at++) {
        const orr_mig_profile *p = &l->model->profiles[at / 8];
        if (!is_used(l, at / 8) || !orr_mig_fits(l->model, p, at % 8, cut))
            continue;
        full = false;
        if (at >= from)
            add_instances(l, at + 1, orr_mig_with(cut, p, at % 8), set | UINT64_C(1) << at,
                          kind + (UINT64_C(1) << at / 8 * 8));
    }
    if (!full)
        return;
    keep(l->sets, &l->count, set);
    keep(l->kinds, &l->kind_count, kind);
}

static void counts(const char *type, bool twice, int sets, int kinds)
{
    layouts l = {.model = orr_mig_model_of(type), .twice = twice};
    add_instances(&l, 0, (orr_mig_cut){0}, 0, 0);
    assert_int_equal(l.count, sets);
    assert_int_equal(l.kind_count, kinds);
}

static void layouts_of_the_user_guide(void **state)
{
    (void)state;
    counts("A100-SXM4-40GB", false, 19, 14);
    counts("H100", true, 78, 38);
    counts("A30", true, 5, 4); /* 4x1g, 2g at either end with 2x1g, 2x2g, 4g */
    assert_null(orr_mig_model_of("V100"));
    assert_null(orr_mig_model_of(""));
}

/* The same, as policies ask for them; and each is found room for instance by instance. */
static void layouts_can_be_placed(void **state)
{
    (void)state;
    orr_mig_layout all[16];
    const orr_mig_model *m = orr_mig_model_of("A100");
    const int32_t n = orr_mig_layouts(m, all, 16);
    assert_int_equal(n, 14);
    assert_true(all[0].count == 1 && m->profiles[all[0].profile[0]].compute == 7);
    assert_true(all[n - 1].count == 7 && m->profiles[all[n - 1].profile[0]].compute == 1);
    for (int32_t i = 0; i < n; i++) {
        orr_mig_cut cut = {0};
        for (int32_t k = 0; k < all[i].count; k++) {
            const orr_mig_profile *p = &m->profiles[all[i].profile[k]];
            const int start = orr_mig_place(m, p, cut);
            assert_true(start >= 0);
            cut = orr_mig_with(cut, p, start);
        }
    }
    assert_int_equal(orr_mig_layouts(orr_mig_model_of("A30"), all, 16), 4);
}

static void profiles_by_name(void **state)
{
    (void)state;
    const int64_t gib = INT64_C(1) << 30;
    static const struct {
        const char *type, *name;
        int gib;
        const char *is;
    } rows[] = {{"A100", "3g", 0, "3g"},       {"A100", "3g.20gb", 40, "3g"},   {"A100", "1g.10gb", 40, "1g+"},
                {"A100", "1g.10gb", 80, "1g"}, {"A100", "1g.10gb", 0, "1g"},    {"H200", "1g.35gb", 131, "1g+"},
                {"A30", "2g.12gb", 24, "2g"},  {"A100", "3g.40gb", 40, NULL},   {"A100", "5g", 0, NULL},
                {"A30", "3g", 0, NULL},        {"A100", "3g.fortygb", 0, NULL}, {"A100", "", 0, NULL}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const orr_mig_profile *p = orr_mig_named(orr_mig_model_of(rows[i].type), rows[i].name, rows[i].gib * gib);
        if (rows[i].is)
            assert_string_equal(p ? p->name : "none", rows[i].is);
        else
            assert_null(p);
    }
    const orr_mig_model *m = orr_mig_model_of("A100");
    assert_int_equal(orr_mig_milli(m, orr_mig_named(m, "3g", 0)), 428);
}

/* What is given back stands there until its slices are taken for something else. */
static void instances_stand_until_they_are_in_the_way(void **state)
{
    (void)state;
    const orr_mig_model *m = orr_mig_model_of("A100");
    const orr_mig_profile *two = orr_mig_named(m, "2g", 0), *three = orr_mig_named(m, "3g", 0), *four = orr_mig_named(m, "4g", 0);
    orr_mig_gpu gpu = {0};
    assert_false(orr_mig_is_cut(&gpu));
    orr_mig_take(m, &gpu, three, 1);
    assert_true(orr_mig_held(&gpu, 1)->made);
    orr_mig_give(&gpu, 1);
    assert_true(orr_mig_is_cut(&gpu));
    orr_mig_take(m, &gpu, three, 2);
    assert_false(orr_mig_held(&gpu, 2)->made);
    orr_mig_take(m, &gpu, four, 3); /* beside it */
    orr_mig_give(&gpu, 2);
    orr_mig_give(&gpu, 3);
    orr_mig_take(m, &gpu, two, 4);
    assert_true(orr_mig_held(&gpu, 4)->made);
    const bool in_upper = orr_mig_held(&gpu, 4)->start >= 4;
    orr_mig_give(&gpu, 4);
    orr_mig_take(m, &gpu, in_upper ? four : three, 5);
    assert_false(orr_mig_held(&gpu, 5)->made);
    orr_mig_take(m, &gpu, in_upper ? three : four, 6); /* the other half's is no more */
    assert_true(orr_mig_held(&gpu, 6)->made);
}

/* As many of a kind as the driver lists. */
static void most_of_a_kind(void **state)
{
    (void)state;
    static const struct {
        const char *type, *name;
        int most;
    } rows[] = {{"A100", "1g", 7}, {"A100", "1g+", 4}, {"A100", "2g", 3}, {"A100", "3g", 2}, {"A100", "4g", 1},
                {"A100", "7g", 1}, {"A30", "1g", 4},   {"A30", "2g", 2},  {"A30", "4g", 1}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const orr_mig_model *m = orr_mig_model_of(rows[i].type);
        const orr_mig_profile *p = m->profiles;
        orr_mig_cut cut = {0};
        int n = 0;
        while (strcmp(p->name, rows[i].name) != 0)
            p++;
        for (int start; (start = orr_mig_place(m, p, cut)) >= 0; n++)
            cut = orr_mig_with(cut, p, start);
        assert_int_equal(n, rows[i].most);
    }
}

/* A small instance goes where it is in nobody's way: the largest that could be had beside it still can. */
static void small_ones_keep_out_of_the_way(void **state)
{
    (void)state;
    const orr_mig_model *m = orr_mig_model_of("A100");
    const orr_mig_profile *one = &m->profiles[0], *three = &m->profiles[3], *four = &m->profiles[4];
    const int at = orr_mig_place(m, one, (orr_mig_cut){0});
    const orr_mig_cut cut = orr_mig_with((orr_mig_cut){0}, one, at);
    assert_true(orr_mig_place(m, four, cut) >= 0);
    assert_int_equal(orr_mig_place(m, three, orr_mig_with((orr_mig_cut){0}, four, 0)), 4);
    /* Two of three slices waste one: nothing fits beside them. */
    const orr_mig_cut two = orr_mig_with(orr_mig_with((orr_mig_cut){0}, three, 0), three, 4);
    for (int32_t i = 0; i < m->count; i++)
        assert_int_equal(orr_mig_place(m, &m->profiles[i], two), -1);
    assert_int_equal(m->compute - two.compute, 1);
    const orr_mig_cut back = orr_mig_without(two, three, 4);
    assert_true(back.memory == 15 && back.compute == 3);
}

static void the_least_that_holds_it(void **state)
{
    (void)state;
    const int64_t gib = INT64_C(1) << 30;
    static const struct {
        int32_t milli;
        int gib;
        const char *name;
    } rows[] = {{1, 0, "1g"},    {142, 5, "1g"}, {142, 6, "1g+"}, {143, 5, "2g"}, {285, 10, "2g"}, {285, 11, "3g"},
                {428, 20, "3g"}, {429, 5, "4g"}, {571, 20, "4g"}, {572, 1, "7g"}, {1, 21, "7g"},   {1000, 40, "7g"}};
    const orr_mig_model *m = orr_mig_model_of("A100");
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const orr_mig_profile *p = orr_mig_least(m, rows[i].milli, rows[i].gib * gib, 40 * gib);
        assert_string_equal(p->name, rows[i].name);
    }
    assert_null(orr_mig_least(m, 1, 41 * gib, 40 * gib));
    assert_string_equal(orr_mig_least(m, 100, 41 * gib, 0)->name, "1g");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(layouts_of_the_user_guide),
        cmocka_unit_test(layouts_can_be_placed),
        cmocka_unit_test(profiles_by_name),
        cmocka_unit_test(instances_stand_until_they_are_in_the_way),
        cmocka_unit_test(most_of_a_kind),
        cmocka_unit_test(small_ones_keep_out_of_the_way),
        cmocka_unit_test(the_least_that_holds_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
