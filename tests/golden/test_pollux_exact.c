/* Tiresias and Optimus of the Pollux simulator: every job that its authors' results list, at four loads, to the
 * second. */
#include "compare.h"
#include "pollux.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#if defined(__SANITIZE_ADDRESS__)
enum { SLOW = 1 }; /* one workload of each load only */
#else
enum { SLOW = 0 };
#endif

static const char *const loads[] = {"0.5", "1.0", "1.5", "2.0"};

static void run_one(const pollux_world *w, const pollux_shipped *shipped, const char *policy, const pollux_case *c)
{
    char label[128];
    snprintf(label, sizeof label, "pollux %s-%s.workload-%d", policy, c->load, c->workload);
    pollux_run *r = pollux_go(w, c);
    assert_int_equal(pollux_differ(label, r, shipped, c->workload), 0);
    pollux_run_free(r);
    golden_ran(label);
}

static void run_load(const pollux_world *w, const char *theirs, const char *ours, const char *load)
{
    char experiment[64];
    bool any = false;
    snprintf(experiment, sizeof experiment, "jobload-%s-%s", theirs, load);
    pollux_shipped *shipped = pollux_shipped_read(experiment);
    for (int32_t i = 1; i <= POLLUX_WORKLOADS; i++) {
        const pollux_case c = {.load = load, .workload = i, .policy = ours};
        if (!pollux_has(&c) || (SLOW && any))
            continue;
        run_one(w, shipped, theirs, &c);
        any = true;
    }
    assert_true(any);
    table_free(shipped);
}

static void run_policy_at_all_loads(const pollux_world *w, const char *theirs, const char *ours)
{
    if (!w)
        golden_skipped(theirs, "no data outside the tree");
    for (size_t i = 0; w && i < RUN_COUNT(loads); i++)
        run_load(w, theirs, ours, loads[i]);
}

static void tiresias(void **state)
{
    run_policy_at_all_loads(*state, "tiresias", "tiresias:pollux");
}

static void optimus(void **state)
{
    run_policy_at_all_loads(*state, "optimus", "optimus:oracle");
}

int main(void)
{
    pollux_world *w = pollux_open();
    const struct CMUnitTest tests[] = {{.name = "tiresias", .test_func = tiresias, .initial_state = w},
                                       {.name = "optimus", .test_func = optimus, .initial_state = w}};
    const int failed = cmocka_run_group_tests_name("pollux", tests, NULL, NULL);
    pollux_close(w);
    return failed;
}
