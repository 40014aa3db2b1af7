/* Speed by cores and memory: points, rows, what lies between, and what a list of points must be like. */
#include "model/host.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#define GIB 1073741824.0
#define COUNT(array) (sizeof(array) / sizeof *(array))

static orr_profile with(const orr_host_point *points, size_t n)
{
    orr_profile p = orr_profile_default();
    p.host = points;
    p.host_points = n;
    return p;
}

/* Cores and memory that grow together: 3 cores and 62 GiB run at 1, 12 and 124 at 3. */
static const orr_host_point pair[] = {{3, 62 * GIB, 1}, {12, 124 * GIB, 3}};

/* The matrix of a model that profits from both. */
static const orr_host_point grid[] = {{2, 10 * GIB, 0.5}, {2, 30 * GIB, 0.7}, {6, 10 * GIB, 0.8}, {6, 30 * GIB, 1.2}};

static void speeds_are_exact_at_the_points(void **state)
{
    (void)state;
    const orr_profile p = with(pair, COUNT(pair)), g = with(grid, COUNT(grid));
    for (size_t i = 0; i < COUNT(pair); i++)
        assert_true(orr_host_speed(&p, pair[i].cpus, pair[i].mem) == pair[i].speed);
    for (size_t i = 0; i < COUNT(grid); i++)
        assert_true(orr_host_speed(&g, grid[i].cpus, grid[i].mem) == grid[i].speed);
}

static const struct {
    const char *name;
    const orr_host_point *points;
    size_t count;
    double cpus, mem, speed;
} rows[] = {
    {"half way in cores", pair, 2, 7.5, 124 * GIB, 2},
    {"as much as it likes", pair, 2, INFINITY, INFINITY, 3},
    {"more than the last point", pair, 2, 20, 200 * GIB, 3},
    {"half the cores of the first", pair, 2, 1.5, 124 * GIB, 0.5},
    {"half the memory of the first", pair, 2, 3, 31 * GIB, 0.5},
    {"half the memory of the last, all its cores", pair, 2, 12, 62 * GIB, 1.5},
    {"a quarter of it: still what fewer cores get", pair, 2, 12, 41.333333333333336 * GIB, 1},
    {"inside the grid", grid, 4, 4, 20 * GIB, 0.8},
    {"the edge of the grid in memory", grid, 4, 4, 30 * GIB, 0.95},
    {"no profile", NULL, 0, 1, 1, 1},
};

static void between_them_it_is_interpolated(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        const orr_profile p = with(rows[i].points, rows[i].count);
        double speed = orr_host_speed(&p, rows[i].cpus, rows[i].mem);
        if (fabs(speed - rows[i].speed) > 1e-9)
            fail_msg("%s: %.12g, should be %.12g", rows[i].name, speed, rows[i].speed);
    }
    assert_true(orr_host_speed(NULL, 1, 1) == 1);
}

/* One axis alone: the other doesn't matter at all. */
static void a_zero_says_nothing_of_its_axis(void **state)
{
    (void)state;
    const orr_host_point cores[] = {{1, 0, 0.5}, {4, 0, 1}}, memory[] = {{0, 10 * GIB, 0.5}, {0, 20 * GIB, 1}};
    const orr_profile c = with(cores, 2), m = with(memory, 2);
    assert_true(orr_host_speed(&c, 4, 0) == 1 && orr_host_speed(&c, 1, INFINITY) == 0.5);
    assert_true(orr_host_speed(&m, 0, 20 * GIB) == 1 && orr_host_speed(&m, 100, 15 * GIB) == 0.75);
}

/* Whatever the points: more cores or more memory never make it slower. */
static void more_is_never_slower(void **state)
{
    (void)state;
    const orr_host_point odd[] = {{1, 40 * GIB, 1}, {2, 5 * GIB, 0.2}, {2, 80 * GIB, 0.9}, {8, 10 * GIB, 1.5}};
    const orr_profile all[] = {with(pair, 2), with(grid, 4), with(odd, 4)};
    for (size_t k = 0; k < COUNT(all); k++)
        for (int c = 0; c <= 40; c++)
            for (int m = 0; m <= 40; m++) {
                double cpus = c * 0.5, mem = m * 5 * GIB, here = orr_host_speed(&all[k], cpus, mem);
                assert_true(orr_host_speed(&all[k], cpus + 0.5, mem) >= here - 1e-12);
                assert_true(orr_host_speed(&all[k], cpus, mem + 5 * GIB) >= here - 1e-12);
            }
}

static void the_least_need_is_a_point(void **state)
{
    (void)state;
    const orr_profile p = with(pair, 2), g = with(grid, 4);
    orr_host_need need = orr_host_needs(&p, 0.9);
    assert_true(need.cpus == 12 && need.mem == 124 * GIB);
    need = orr_host_needs(&p, 0.3);
    assert_true(need.cpus == 3 && need.mem == 62 * GIB);
    need = orr_host_needs(&g, 0.58); /* of 1.2: 0.696 */
    assert_true(need.cpus == 2 && need.mem == 30 * GIB);
    need = orr_host_needs(NULL, 1);
    assert_true(need.cpus == 0 && need.mem == 0);
}

static void bad_points_are_told(void **state)
{
    (void)state;
    const orr_host_point falling[] = {{3, 0, 1}, {2, 0, 1}}, twice[] = {{3, 5, 1}, {3, 5, 1}};
    const orr_host_point slower[] = {{3, 5, 1}, {3, 6, 0.9}}, still[] = {{3, 5, 0}}, less[] = {{-1, 5, 1}};
    assert_null(orr_host_flaw(pair, 2));
    assert_null(orr_host_flaw(grid, 4));
    assert_null(orr_host_flaw(NULL, 0));
    assert_non_null(orr_host_flaw(falling, 2));
    assert_non_null(orr_host_flaw(twice, 2));
    assert_non_null(orr_host_flaw(slower, 2));
    assert_non_null(orr_host_flaw(still, 1));
    assert_non_null(orr_host_flaw(less, 1));
}

/* ---- what a job holds -------------------------------------------------------------------------------------------- */

static const orr_node_spec host_node = {.gpus = 8, .cpus = 24, .mem_bytes = (int64_t)(496 * GIB)};

static double rate(const orr_profile *profile, const orr_slice *slices, int32_t n, const orr_node_spec *spec)
{
    orr_trace_job record = {.gpus = 2 * n, .gpu_milli = 1000, .cpu_milli = 6000 * n};
    orr_job job = {.record = &record, .profile = profile};
    orr_node nodes[2] = {{.spec = spec}, {.spec = spec}};
    orr_cluster cluster = {.nodes = nodes, .count = 2};
    for (int32_t i = 0; i < n; i++)
        orr_alloc_append(&job.held, slices[i]);
    double r = orr_host_rate(&cluster, &job);
    orr_alloc_clear(&job.held);
    return r;
}

static void a_gang_is_as_fast_as_its_slowest_node(void **state)
{
    (void)state;
    const orr_profile p = with(pair, 2);
    const orr_slice rich = {.node = 0, .gpus = 3, .cpu_milli = 24000, .mem = (int64_t)(248 * GIB)};
    const orr_slice poor = {.node = 1, .gpus = 12, .cpu_milli = 6000, .mem = (int64_t)(124 * GIB)};
    const orr_slice asked = {.node = 0, .gpus = 3}; /* 3 cores a GPU, as the job asks; of memory it says nothing */
    assert_true(rate(&p, &rich, 1, &host_node) == 3);
    assert_true(rate(&p, (const orr_slice[]){rich, poor}, 2, &host_node) == 1);
    assert_true(rate(&p, &asked, 1, &host_node) == 1);
    assert_true(rate(NULL, &poor, 1, &host_node) == 1);
}

static void what_a_node_does_not_count_does_not_matter(void **state)
{
    (void)state;
    const orr_profile p = with(pair, 2);
    const orr_node_spec bare = {.gpus = 8}, cores = {.gpus = 8, .cpus = 24};
    const orr_slice slice = {.node = 0, .gpus = 3, .cpu_milli = 15000, .mem = 1};
    assert_true(rate(&p, &slice, 1, &bare) == 1);
    assert_true(rate(&p, &slice, 1, &cores) == 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(speeds_are_exact_at_the_points),
        cmocka_unit_test(between_them_it_is_interpolated),
        cmocka_unit_test(a_zero_says_nothing_of_its_axis),
        cmocka_unit_test(more_is_never_slower),
        cmocka_unit_test(the_least_need_is_a_point),
        cmocka_unit_test(bad_points_are_told),
        cmocka_unit_test(a_gang_is_as_fast_as_its_slowest_node),
        cmocka_unit_test(what_a_node_does_not_count_does_not_matter),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
