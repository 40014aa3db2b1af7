/* Plans of sweeps: which cells there are, in which order, and what is refused at which place. */
#include "study/grid.h"

#include "base/io.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>

#include <cmocka.h>

#define HEAD "schema: orrery.sweep/1\n"

static orr_sweep_plan *must_read(const char *text)
{
    orr_error e = {0};
    orr_sweep_plan *plan = orr_sweep_plan_read("plan.yaml", text, strlen(text), &e);
    if (!plan)
        fail_msg("%d:%d: %s (%s)", e.line, e.column, e.message, e.text);
    return plan;
}

/* "value value" of a cell, in the order of the axes. */
static void assert_cell(const orr_sweep_plan *plan, size_t cell, const char *want)
{
    uint32_t at[ORR_SWEEP_AXES];
    orr_text t = {0};
    orr_sweep_cell(plan, cell, at);
    for (size_t i = 0; i < plan->axes.n; i++)
        orr_text_addf(&t, "%s%s", i ? " " : "", orr_sweep_value(plan, i, at));
    assert_string_equal(t.at, want);
    assert_int_equal(orr_sweep_find(plan, at), cell);
    orr_text_fini(&t);
}

static void the_last_axis_is_innermost(void **state)
{
    (void)state;
    orr_sweep_plan *plan = must_read(HEAD "grid:\n  policy: [fifo, srtf]\n  scale-load: [0.5, 1]\n  seed: 1..3\n");
    assert_int_equal(plan->cells, 12);
    assert_cell(plan, 1, "fifo 0.5 1");
    assert_cell(plan, 2, "fifo 0.5 2");
    assert_cell(plan, 4, "fifo 1 1");
    assert_cell(plan, 12, "srtf 1 3");
    assert_int_equal(plan->repeats, 2);
    assert_true(plan->compared[0] && !plan->compared[1] && !plan->has_baseline);
    assert_int_equal(plan->metrics.n, 4);
    orr_sweep_plan_destroy(plan);
}

static void knobs_multiply(void **state)
{
    (void)state;
    orr_sweep_plan *plan = must_read(HEAD "grid:\n"
                                          "  policy:\n"
                                          "    - fifo\n"
                                          "    - \"tiresias,threshold=3250\"\n"
                                          "    - {name: las+consolidate~oracle, knobs: {a: [1, 2], b: x, c: [7, 8]}}\n"
                                          "  seed: [3, 5..6]\n");
    assert_int_equal(plan->cells, 6 * 3);
    assert_cell(plan, 1, "fifo 3");
    assert_cell(plan, 5, "tiresias,threshold=3250 5");
    assert_cell(plan, 7, "las,a=1,b=x,c=7+consolidate~oracle 3");
    assert_cell(plan, 10, "las,a=1,b=x,c=8+consolidate~oracle 3");
    assert_cell(plan, 18, "las,a=2,b=x,c=8+consolidate~oracle 6");
    orr_sweep_plan_destroy(plan);
}

static void what_meets_all_parts_of_an_exclusion_is_left_out(void **state)
{
    (void)state;
    orr_sweep_plan *plan = must_read(HEAD "grid:\n  policy: [fifo, srtf]\n  scale-load: [0.5, 1, 2]\n  seed: 1..2\n"
                                          "exclude:\n"
                                          "  - {policy: fifo, scale-load: [1, 2]}\n"
                                          "  - {seed: 2, scale-load: 0.5}\n");
    assert_int_equal(plan->cells, 12 - 4 - 2);
    assert_cell(plan, 1, "fifo 0.5 1");
    assert_cell(plan, 2, "srtf 0.5 1");
    assert_cell(plan, 3, "srtf 1 1");
    assert_cell(plan, 6, "srtf 2 2");
    const uint32_t gone[ORR_SWEEP_AXES] = {0, 1, 0};
    assert_int_equal(orr_sweep_find(plan, gone), 0);
    orr_sweep_plan_destroy(plan);
}

static void the_baseline_says_what_is_compared(void **state)
{
    (void)state;
    orr_sweep_plan *plan = must_read(HEAD "base: {seed: 9}\n"
                                          "grid:\n  policy: [fifo, srtf]\n  clock: [exact, round=60s]\n"
                                          "baseline: {clock: round=60s}\nmetrics: jct.p99\n");
    assert_true(plan->has_baseline && plan->compared[1] && !plan->compared[0]);
    assert_int_equal(plan->baseline[1], 1);
    assert_int_equal(plan->repeats, 2);
    assert_int_equal(plan->seed, 9);
    assert_int_equal(plan->metrics.n, 1);
    orr_sweep_plan_destroy(plan);
}

static void a_case_has_base_and_axes(void **state)
{
    (void)state;
    orr_sweep_plan *plan = must_read(HEAD "base: {trace: t.csv, cluster: \"nodes=1\", scale-load: 3}\n"
                                          "grid: {policy: [fifo, srtf], scale-load: [0.5, 2]}\n");
    uint32_t at[ORR_SWEEP_AXES];
    orr_arena arena = {0};
    orr_error e = {0};
    orr_case c;
    orr_sweep_cell(plan, 4, at);
    assert_int_equal(orr_sweep_case(plan, at, &arena, &c, &e), ORR_OK);
    assert_string_equal(c.trace, "t.csv");
    assert_string_equal(c.policy, "srtf");
    assert_true(c.scale_load == 2);
    orr_arena_fini(&arena);
    orr_sweep_plan_destroy(plan);
}

/* A million cells, a third of them excluded, take linear time: well under a second. */
static void a_million_cells(void **state)
{
    (void)state;
    orr_sweep_plan *plan =
        must_read(HEAD "grid:\n  policy: [a, b, c, d]\n  limit: 1..250\n  seed: 1..1000\n"
                       "exclude:\n  - {policy: [a, b], limit: 1..100}\n  - {seed: 501..1000, limit: 1}\n");
    assert_int_equal(plan->combinations, 1000000);
    assert_int_equal(plan->cells, 1000000 - 200000 - 2 * 500);
    uint32_t at[ORR_SWEEP_AXES];
    for (size_t cell = 1; cell <= plan->cells; cell++) {
        orr_sweep_cell(plan, cell, at);
        if (orr_sweep_find(plan, at) != cell)
            fail_msg("cell %zu", cell);
    }
    orr_sweep_plan_destroy(plan);
}

typedef struct refusal {
    const char *text;
    int line, column;
    orr_err code;
    const char *part; /* of the message */
} refusal;

static const refusal refusals[] = {
    {"grid: {seed: 1..2}\n", 1, 1, ORR_E_SYNTAX, "'schema' is missing"},
    {"schema: orrery.sweep/2\n", 1, 9, ORR_E_VERSION, "doesn't know this schema"},
    {"schema: orrery.cluster/1\n", 1, 9, ORR_E_SYNTAX, "no plan of a sweep"},
    {HEAD, 1, 1, ORR_E_SYNTAX, "'grid' is missing"},
    {HEAD "grids: {}\n", 2, 1, ORR_E_UNKNOWN_KEY, "'grids' is not known"},
    {HEAD "grid: {}\n", 2, 7, ORR_E_SYNTAX, "map of keys to lists"},
    {HEAD "grid:\n  polcy: [fifo]\n", 3, 3, ORR_E_UNKNOWN_KEY, ""},
    {HEAD "grid:\n  seed: []\n", 3, 9, ORR_E_SYNTAX, "no values"},
    {HEAD "grid:\n  seed: [1, x]\n", 3, 13, ORR_E_OK, ""},
    {HEAD "grid:\n  seed: [1, 2, 1]\n", 3, 16, ORR_E_SYNTAX, "twice among the values"},
    {HEAD "grid:\n  seed: 5..1\n", 3, 9, ORR_E_NUMBER, "ends before it begins"},
    {HEAD "grid:\n  seed: 1..10000000\n", 3, 9, ORR_E_NUMBER, "more than 1000000 values"},
    {HEAD "grid:\n  seed: 1..1000\n  limit: 1..1000\n  scale-load: 1..1000\n", 3, 3, ORR_E_SYNTAX, "combinations"},
    {HEAD "grid:\n  seed: [{name: 1}]\n", 3, 10, ORR_E_SYNTAX, "single one"},
    {HEAD "grid:\n  policy: [{name: las, knob: {}}]\n", 3, 24, ORR_E_UNKNOWN_KEY, "'knob' is not known"},
    {HEAD "grid:\n  policy: [{name: las, knobs: {a: []}}]\n", 3, 35, ORR_E_SYNTAX, "list of up to"},
    {HEAD "grid: {seed: [1]}\nexclude: [{sed: 1}]\n", 3, 12, ORR_E_UNKNOWN_KEY, "no axis of the grid"},
    {HEAD "grid: {seed: [1]}\nexclude: [{seed: 2}]\n", 3, 18, ORR_E_SYNTAX, "has no value '2'"},
    {HEAD "grid: {seed: [1]}\nexclude: [{seed: 1}]\n", 3, 10, ORR_E_SYNTAX, "every cell is excluded"},
    {HEAD "grid: {policy: [a, b]}\nbaseline: {policy: [a, b]}\n", 3, 11, ORR_E_SYNTAX, "one value of 'policy'"},
    {HEAD "grid: {seed: 1..5}\nbaseline: {seed: 1}\n", 3, 11, ORR_E_SYNTAX, "holds repeats"},
    {HEAD "grid: {seed: 1..5}\nrepeats: load\n", 3, 10, ORR_E_SYNTAX, "name an axis"},
    {HEAD "grid: {seed: 1..5}\nmetrics: [jct.mean, jct.men]\n", 3, 21, ORR_E_BAD_VALUE, "no metric"},
};

static void what_is_wrong_is_named_with_its_place(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof refusals / sizeof *refusals; i++) {
        const refusal *r = &refusals[i];
        orr_error e = {0};
        orr_sweep_plan *plan = orr_sweep_plan_read("plan.yaml", r->text, strlen(r->text), &e);
        if (plan)
            fail_msg("taken: %s", r->text);
        const bool right = e.line == r->line && e.column == r->column && (!r->code || e.code == r->code) &&
                           strcmp(e.file, "plan.yaml") == 0 && strstr(e.message, r->part);
        if (!right)
            fail_msg("%s\n%s:%d:%d: %s [%s]", r->text, e.file, e.line, e.column, e.message, orr_err_name(e.code));
    }
}

static void near_names_are_offered(void **state)
{
    (void)state;
    const char *text = HEAD "grid: {policy: [fifo, srtf]}\nbaseline: {policy: fifi}\n";
    orr_error e = {0};
    assert_null(orr_sweep_plan_read("plan.yaml", text, strlen(text), &e));
    assert_non_null(strstr(e.hint, "did you mean 'fifo'?"));
}

/* ORRERY_UPDATE_DOCS=1 writes the page instead of comparing it. */
static void the_page_is_what_the_table_says(void **state)
{
    (void)state;
    static const char path[] = ORR_SOURCE_DIR "/configs/README.md";
    static const char begin[] = "<!-- sweeps begins -->\n", end[] = "<!-- sweeps ends -->";
    static char page[1 << 17];
    FILE *f = fopen(path, "rb");
    assert_non_null(f);
    page[fread(page, 1, sizeof page - 1, f)] = '\0';
    fclose(f);
    const char *from = strstr(page, begin), *to = strstr(page, end);
    assert_true(from && to);
    orr_text want = {0};
    orr_text_add(&want, page, (size_t)(from - page) + sizeof begin - 1);
    orr_sweep_keys_markdown(&want);
    orr_text_add(&want, to, strlen(to));
    if (getenv("ORRERY_UPDATE_DOCS")) {
        f = fopen(path, "wb");
        assert_non_null(f);
        fputs(want.at, f);
        fclose(f);
    } else if (strcmp(page, want.at) != 0) {
        fail_msg("%s differs from the table; ORRERY_UPDATE_DOCS=1 with this test writes it anew", path);
    }
    orr_text_fini(&want);
}

/* The plans that are shipped can be read. */
static void shipped_plans_are_plans(void **state)
{
    (void)state;
    static const char *const names[] = {"sweep-small", "sweep-drawn"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char path[300], *data = NULL;
        size_t size = 0;
        orr_error e = {0};
        snprintf(path, sizeof path, ORR_SOURCE_DIR "/configs/experiments/%s.yaml", names[i]);
        orr_input *in = orr_input_open(path, &e);
        assert_non_null(in);
        assert_int_equal(orr_input_all(in, &data, &size, &e), ORR_OK);
        orr_input_close(in);
        orr_sweep_plan *plan = orr_sweep_plan_read(path, data, size, &e);
        if (!plan)
            fail_msg("%s:%d: %s", path, e.line, e.message);
        orr_sweep_plan_destroy(plan);
        free(data);
    }
}

/* Expressions are asked of every cell behind those of the base; a direction can be given. */
static void expressions_are_asked_of_cells(void **state)
{
    (void)state;
    orr_sweep_plan *plan = must_read(HEAD "base: {metric: mean(jct)}\ngrid: {seed: 1..2}\n"
                                          "metrics: [jct.p99, \"count(gpus >= 8)\", "
                                          "{metric: share(jct < 60s), better: higher}]\n");
    const uint32_t at[ORR_SWEEP_AXES] = {1};
    orr_arena arena = {0};
    orr_error e = {0};
    orr_case c;
    assert_int_equal(orr_sweep_case(plan, at, &arena, &c, &e), ORR_OK);
    assert_int_equal(c.metrics.n, 3);
    assert_string_equal(c.metrics.at[0], "mean(jct)");
    assert_string_equal(c.metrics.at[1], "count(gpus >= 8)");
    assert_string_equal(c.metrics.at[2], "share(jct < 60s)");
    assert_int_equal(plan->metrics.at[0].better, ORR_BETTER_LOWER);
    assert_int_equal(plan->metrics.at[1].better, ORR_BETTER_TARGET);
    assert_int_equal(plan->metrics.at[2].better, ORR_BETTER_HIGHER);
    orr_arena_fini(&arena);
    orr_sweep_plan_destroy(plan);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_last_axis_is_innermost),
        cmocka_unit_test(knobs_multiply),
        cmocka_unit_test(what_meets_all_parts_of_an_exclusion_is_left_out),
        cmocka_unit_test(the_baseline_says_what_is_compared),
        cmocka_unit_test(a_case_has_base_and_axes),
        cmocka_unit_test(a_million_cells),
        cmocka_unit_test(what_is_wrong_is_named_with_its_place),
        cmocka_unit_test(near_names_are_offered),
        cmocka_unit_test(expressions_are_asked_of_cells),
        cmocka_unit_test(shipped_plans_are_plans),
        cmocka_unit_test(the_page_is_what_the_table_says),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
