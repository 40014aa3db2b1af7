/* The same with more pods of several GPUs: node and GPUs of every pod, what was left when and why
 * it was of no use, under five policies. */
#include "compare.h"
#include "fgd.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

static void pods_go_where_theirs_went(void **state)
{
    (void)state;
    if (FGD_SLOW) {
        golden_skipped("fgd multigpu20", "one trace is enough under sanitizers");
        return;
    }
    fgd_trace_is_theirs("multigpu20");
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(pods_go_where_theirs_went)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
