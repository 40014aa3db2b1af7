/* Requests as often as asked: by their rates, by the clock of what was recorded, and nothing else. */
#include "study/services_scaled.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

static const double rates[] = {1, 10}, stays[] = {5, 5};

static orr_services services_of(orr_service *list, orr_source_kind kind)
{
    memset(list, 0, sizeof *list);
    list->name = "a";
    list->source = (orr_source){
        .kind = kind, .rate = 4, .speed = 2, .clients = 3, .rates = rates, .stays = stays, .states = 2};
    return (orr_services){.name = "one", .services = list, .count = 1, .warm_up = 7};
}

static const orr_source *scaled(const orr_services *s, orr_services **out)
{
    *out = orr_services_scaled(s, 2.5, 0);
    return &(*out)->services[0].source;
}

static bool is(double a, double b)
{
    return a - b < 1e-12 && b - a < 1e-12;
}

static void each_kind_has_its_own_way(void **state)
{
    (void)state;
    static const orr_source_kind drawn[] = {ORR_SOURCE_POISSON, ORR_SOURCE_GAMMA, ORR_SOURCE_REGULAR,
                                            ORR_SOURCE_DIURNAL};
    orr_service one;
    orr_services s, *out;
    for (size_t i = 0; i < sizeof drawn / sizeof *drawn; i++) {
        s = services_of(&one, drawn[i]);
        assert_true(is(scaled(&s, &out)->rate, 10));
        assert_true(is(one.source.rate, 4)); /* the original stays */
        orr_services_scaled_free(out);
    }
    s = services_of(&one, ORR_SOURCE_LIST);
    const orr_source *source = scaled(&s, &out);
    assert_true(is(source->speed, 5) && is(source->rate, 4));
    orr_services_scaled_free(out);
    s = services_of(&one, ORR_SOURCE_MMPP);
    source = scaled(&s, &out);
    assert_true(is(source->rates[0], 2.5) && is(source->rates[1], 25) && source->stays == stays && is(rates[1], 10));
    orr_services_scaled_free(out);
    s = services_of(&one, ORR_SOURCE_CLOSED);
    assert_int_equal(scaled(&s, &out)->clients, 3);
    orr_services_scaled_free(out);
}

static void a_warm_up_stands_for_the_stated_one(void **state)
{
    (void)state;
    orr_service one;
    const orr_services s = services_of(&one, ORR_SOURCE_POISSON);
    orr_services *same = orr_services_scaled(&s, 1, 0), *other = orr_services_scaled(&s, 1, 9);
    assert_int_equal(same->warm_up, 7);
    assert_int_equal(other->warm_up, 9);
    assert_string_equal(other->name, "one");
    orr_services_scaled_free(same);
    orr_services_scaled_free(other);
    orr_services_scaled_free(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_kind_has_its_own_way),
        cmocka_unit_test(a_warm_up_stands_for_the_stated_one),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
