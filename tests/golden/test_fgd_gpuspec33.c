/* The same where a third of the pods ask for GPU types: node and GPUs of every pod, what was left when and why
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
        golden_skipped("fgd gpuspec33", "one trace is enough under sanitizers");
        return;
    }
    fgd_trace_is_theirs("gpuspec33");
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(pods_go_where_theirs_went)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
