/* The engine serves as queueing theory says: the queues of queueing_closed_form.json. The cases ask for the mean
 * over five seeds of a million requests each; tools/bench/bench_queueing does that, and README.md here has its table.
 * This is one seed of few requests. Where nobody overtakes each of them is compared with a plain replay, earliest free
 * server in order of arrival: that is exact. Means are compared within six deviations of so short a run, as the full
 * runs measured them; at 90 % load and more that bounds little, and the replay is what checks those. Seeds are fixed:
 * what is within them once stays so. */
#include "closed_forms.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

#include <cmocka.h>

enum { REQUESTS = 20000 };

static void means_are_those_of_theory(void **state)
{
    (void)state;
    for (size_t i = 0; i < closed_forms_count(); i++) {
        const closed_form *f = closed_form_at(i);
        closed_result r;
        orr_error e = {0};
        if (closed_form_run(f, REQUESTS, 1, 1, true, &r, &e))
            fail_msg("%s: %s", closed_form_id(f), e.message);
        if (r.out_of_order)
            fail_msg("%s: %zu requests did not run when they should", closed_form_id(f), r.out_of_order);
        assert_true(r.count > 0);
        for (size_t k = 0; k < r.count; k++) {
            const closed_value *v = &r.values[k];
            const double off = fabs(v->got / v->expected - 1), most = closed_form_thin(f, REQUESTS);
            if (!(off <= most))
                fail_msg("%s: %s is %.6g, not %.6g: %.1f %% off, more than %.1f %%", closed_form_id(f), v->what, v->got,
                         v->expected, 100 * off, 100 * most);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(means_are_those_of_theory)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
