/* The cases whose inputs are ours, driven by ours/manifest.csv: those of this policy set are compared exactly, the rest
 * is counted as belonging to another. */
#include "compare.h"
#include "fgd.h"

#include "base/mem.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#define OURS ORR_TEST_DATA_DIR "/golden/ours/"

typedef struct row {
    golden_case c;
    const char *reason; /* NULL: to be run */
    void (*compare)(const struct row *row);
} row;

/* The n-th of a list with ';', as a path; "" if there are fewer. */
static void nth_input(const char *list, int n, char path[1024])
{
    for (; n > 0 && list; n--)
        list = strchr(list, ';') ? strchr(list, ';') + 1 : NULL;
    path[0] = 0;
    if (list)
        snprintf(path, 1024, OURS "%.*s", (int)strcspn(list, ";"), list);
}

static void compare_helios(const row *one)
{
    assert_int_equal(golden_helios_differ(&one->c), 0);
}

static void compare_tiresias(const row *one)
{
    orr_time first;
    assert_int_equal(golden_tiresias_differ(&one->c, &first), 0);
}

/* Its first input is the nodes, or where they don't matter the pods. */
static void compare_fgd(const row *one)
{
    assert_int_equal(fgd_differ(&one->c), 0);
}

static void read_row(const table *manifest, size_t i, row *out)
{
    const char *expected = table_text(manifest, i, "expected"), *slash = strrchr(expected, '/'), *name;
    const char *policy = table_text(manifest, i, "policy"), *variant = table_text(manifest, i, "variant");
    const char *inputs = table_text(manifest, i, "inputs"), *kind = table_text(manifest, i, "case");
    char samples[1024];
    name = slash ? slash + 1 : expected;
    snprintf(out->c.label, sizeof out->c.label, "%s %.*s", kind, (int)(strrchr(name, '.') - name), name);
    snprintf(out->c.expected, sizeof out->c.expected, OURS "%s", expected);
    nth_input(inputs, 0, out->c.trace);
    nth_input(inputs, 1, out->c.cluster);
    nth_input(inputs, 2, samples);
    bool known = false;
    out->reason = strcmp(kind, "hived-1") == 0 ? "test_hived.c has it" : "belongs to another policy set";
    if (strcmp(kind, "helios-300") == 0) {
        out->compare = compare_helios;
        known = golden_helios_policy(policy, variant, &out->c, &out->reason);
    } else if (strcmp(kind, "tiresias-200") == 0) {
        out->compare = compare_tiresias;
        known = golden_tiresias_policy(policy, variant, samples, &out->c, &out->reason);
    } else if (strcmp(kind, "fgd-300") == 0) {
        out->compare = compare_fgd;
        snprintf(out->c.policy, sizeof out->c.policy, "%s", policy);
        known = true;
    }
    if (known)
        out->reason = NULL;
}

static void run_row(void **state)
{
    const row *one = *state;
    if (one->reason) {
        golden_skipped(one->c.label, one->reason);
        return;
    }
    one->compare(one);
    golden_ran(one->c.label);
}

int main(void)
{
    table *manifest = table_read(OURS "manifest.csv");
    row *rows = orr_xcalloc(manifest->count, sizeof *rows);
    struct CMUnitTest *tests = orr_xcalloc(manifest->count, sizeof *tests);
    for (size_t i = 0; i < manifest->count; i++) {
        read_row(manifest, i, &rows[i]);
        tests[i] = (struct CMUnitTest){.name = rows[i].c.label, .test_func = run_row, .initial_state = &rows[i]};
    }
    int failed = _cmocka_run_group_tests("ours", tests, manifest->count, NULL, NULL);
    free(tests);
    free(rows);
    table_free(manifest);
    return failed;
}
