/* Families of columns: each fills its own and moves no other, and its values are what its text says. */
#define _POSIX_C_SOURCE 200809L
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "making.h"

#include <math.h>

static orr_synth_options with(const char *families, uint64_t jobs)
{
    orr_synth_options o = shaped("philly", jobs);
    o.with = families;
    return o;
}

static double number(const orr_trace *t, const orr_trace_job *j, const char *name)
{
    const char *text = orr_trace_attribute(t, j, name);
    char *end;
    const double v = strtod(text, &end);
    if (!text[0] || *end)
        fail_msg("%s is '%s'", name, text);
    return v;
}

static bool inside(double x, double low, double high)
{
    return x >= low && x <= high;
}

/* ---- alone and together ---- */

typedef struct moved {
    const char *family;
    int columns;
} moved;

static const moved families[] = {
    {"loss", ATTRIBUTES},    {"noise", ATTRIBUTES},           {"host", HOST | ATTRIBUTES},
    {"sharing", GPU_MEM | ATTRIBUTES}, {"scaling", RANGE | ATTRIBUTES}, {"models", MODEL},
    {"retries", ATTEMPTS},   {"deadlines", DEADLINE},         {"weights", WEIGHT},
};
enum { QUIET = sizeof families / sizeof *families };

/* The base has none: what a family adds is seen from the side that has it, what it moves from both. */
static void a_family_fills_its_own_columns_only(void **state)
{
    (void)state;
    const orr_synth_options base = with(NULL, 2000);
    for (int i = 0; i < QUIET; i++) {
        const orr_synth_options o = with(families[i].family, 2000);
        const int moved_there = columns_that_differ(&o, &base), moved_here = columns_that_differ(&base, &o);
        if (moved_there != families[i].columns || moved_here != (families[i].columns & ~ATTRIBUTES))
            fail_msg("%s moves %x and %x", families[i].family, (unsigned)moved_there, (unsigned)moved_here);
    }
}

/* All of them together, less one, against all: only that one's columns differ. */
static void families_do_not_disturb_each_other(void **state)
{
    (void)state;
    char all[256] = "", less[256];
    for (int i = 0; i < QUIET; i++)
        strcat(strcat(all, i ? "," : ""), families[i].family);
    const orr_synth_options full = with(all, 1000);
    for (int leave = 0; leave < QUIET; leave++) {
        less[0] = '\0';
        for (int i = 0; i < QUIET; i++)
            if (i != leave)
                strcat(strcat(less, less[0] ? "," : ""), families[i].family);
        const orr_synth_options o = with(less, 1000);
        const int there = columns_that_differ(&full, &o), here = columns_that_differ(&o, &full);
        if (there != families[leave].columns || here != (families[leave].columns & ~ATTRIBUTES))
            fail_msg("without %s %x and %x move", families[leave].family, (unsigned)there, (unsigned)here);
    }
}

/* A name in the list, its attributes in the texts of the first job. */
static void families_are_listed(void **state)
{
    (void)state;
    orr_synth_family all[16];
    const size_t n = orr_synth_families(all, 16);
    assert_int_equal(n, QUIET + 2);
    for (size_t i = 0; i < n; i++) {
        const orr_synth_options o = with(all[i].name, 50);
        orr_trace *t = make(&o);
        const char *const *names;
        for (size_t k = orr_trace_attributes(t, &names); k-- > 0;)
            assert_non_null(strstr(all[i].columns, names[k]));
        orr_trace_destroy(t);
    }
}

/* ---- what the values mean ---- */

static void losses_fall_as_stated(void **state)
{
    (void)state;
    const orr_synth_options o = with("loss", 3000);
    orr_trace *t = make(&o);
    for (size_t i = 0; i < o.jobs; i++) {
        const orr_trace_job *j = &orr_trace_jobs(t)[i];
        const double n = number(t, j, "epochs"), a = number(t, j, "loss_a"), b = number(t, j, "loss_b"),
                     c = number(t, j, "loss_c");
        const double begin = 1 / b + c, left = (1 / (a * n + b)) / (1 / b);
        assert_true(inside(n, 5, 200) && inside(begin, 1.999, 7.001));
        assert_true(inside(left, 0.0199, 0.2001) && inside(c / begin, 0.0499, 0.5001));
    }
    orr_trace_destroy(t);
}

static void noise_stands_to_the_batch(void **state)
{
    (void)state;
    const orr_synth_options o = with("noise", 3000);
    orr_trace *t = make(&o);
    for (size_t i = 0; i < o.jobs; i++) {
        const orr_trace_job *j = &orr_trace_jobs(t)[i];
        const double batch = number(t, j, "batch_size"), noise = number(t, j, "noise_scale");
        assert_true(inside(batch / j->gpus, 16, 256) && inside(noise / batch, 0.5, 16));
        assert_true(inside(number(t, j, "noise_growth"), 1, 10));
    }
    orr_trace_destroy(t);
}

/* Medians of 6 cores and 29 GiB a GPU; half of the jobs hardly mind. */
static void hosts_are_as_pai_asks(void **state)
{
    (void)state;
    const orr_synth_options o = with("host", 20000);
    orr_trace *t = make(&o);
    double below = 0, upto = 0, less = 0, most = 0, calm = 0;
    for (size_t i = 0; i < o.jobs; i++) {
        const orr_trace_job *j = &orr_trace_jobs(t)[i];
        const double gib = (double)(j->mem_bytes / j->gpus) / (double)(1 << 30), s = number(t, j, "cpu_sensitivity");
        below += j->cpu_milli / j->gpus < 6000;
        upto += j->cpu_milli / j->gpus <= 6000;
        less += gib < 29;
        most += gib <= 29;
        calm += s <= 0.1;
        assert_true(inside(s, 0, 0.1) || inside(s, 0.3, 1));
    }
    assert_true(below < 10000 && upto > 10000 && less < 10000 && most > 10000);
    check_near("calm", calm, 10000, 0.03);
    orr_trace_destroy(t);
}

static void profiles_have_their_means(void **state)
{
    (void)state;
    const orr_synth_options o = with("sharing", 20000);
    orr_trace *t = make(&o);
    double util = 0, mem = 0;
    for (size_t i = 0; i < o.jobs; i++) {
        const orr_trace_job *j = &orr_trace_jobs(t)[i];
        const double u = number(t, j, "gpu_util"), m = (double)j->gpu_mem_bytes / (1 << 20);
        assert_true(inside(u, 1, 100) && inside(m, 2051, 20970));
        util += u / 20000;
        mem += m / 20000;
    }
    check_near("utilisation", util, 52.32, 0.01);
    check_near("memory", mem, (2051 + 20970) / 2.0, 0.01);
    orr_trace_destroy(t);
}

static void ranges_hold_the_size(void **state)
{
    (void)state;
    orr_synth_options o = with("scaling", 3000);
    o.shape = "pai";
    o.max_gpus = 16;
    orr_trace *t = make(&o);
    for (size_t i = 0; i < o.jobs; i++) {
        const orr_trace_job *j = &orr_trace_jobs(t)[i];
        assert_true(inside(number(t, j, "scaling_exponent"), 0.6, 1));
        assert_true(j->min_gpus >= 1 && j->min_gpus <= j->gpus && j->gpus <= j->max_gpus && j->max_gpus <= 16);
        if (j->gpu_milli < 1000)
            assert_int_equal(j->max_gpus, j->min_gpus);
        else
            assert_int_equal(j->max_gpus, 4 * j->gpus < 16 ? 4 * j->gpus : 16);
    }
    orr_trace_destroy(t);
}

static void one_name_is_one_model(void **state)
{
    (void)state;
    const orr_synth_options o = with("models", 5000);
    orr_trace *t = make(&o);
    const orr_trace_job *j = orr_trace_jobs(t);
    for (size_t i = 0; i < 300; i++)
        for (size_t k = i + 1; k < o.jobs; k++)
            if (j[i].gpus == j[k].gpus && strcmp(j[i].user, j[k].user) == 0 && strcmp(j[i].name, j[k].name) == 0)
                assert_string_equal(j[i].model, j[k].model);
    for (size_t i = 0; i < o.jobs; i++)
        assert_true(j[i].model[0] && (j[i].gpus > 1 || strcmp(j[i].model, "gpt3") != 0));
    orr_trace_destroy(t);
}

static void attempts_add_up(void **state)
{
    (void)state;
    const orr_synth_options o = with("retries", 20000);
    orr_trace *t = make(&o);
    double jobs[3] = {0}, several[3] = {0};
    for (size_t i = 0; i < o.jobs; i++) {
        const orr_trace_job *j = &orr_trace_jobs(t)[i];
        orr_time sum = 0;
        for (uint32_t k = 0; j->attempts && k < j->attempt_count; k++) {
            assert_true(j->attempts[k] >= ORR_SECOND && j->attempts[k] % ORR_SECOND == 0);
            sum += j->attempts[k];
        }
        assert_true(!j->attempts || sum == j->duration);
        if (j->duration < 5 * ORR_SECOND)
            continue;
        jobs[j->ending]++;
        several[j->ending] += j->attempt_count > 1;
    }
    check_near("done", several[ORR_ENDING_DONE] / jobs[ORR_ENDING_DONE], 0.15, 0.05);
    check_near("failed", several[ORR_ENDING_FAILED] / jobs[ORR_ENDING_FAILED], 0.70, 0.03);
    check_near("killed", several[ORR_ENDING_KILLED] / jobs[ORR_ENDING_KILLED], 0.10, 0.15);
    orr_trace_destroy(t);
}

/* ElasticFlow's rule; a share that is given bounds it, and so does a range. */
static void deadlines_follow_the_rule(void **state)
{
    (void)state;
    orr_synth_options o = with("deadlines", 4000);
    orr_trace *t = make(&o);
    double slack = 0;
    for (size_t i = 0; i < o.jobs; i++) {
        const orr_trace_job *j = &orr_trace_jobs(t)[i];
        const double s = (double)(j->deadline - j->submit) / (double)j->duration;
        assert_true(s >= 0.5 && s <= 1.5 + 1 / orr_time_seconds(j->duration));
        slack += s / 4000;
    }
    check_near("mean", slack, 1, 0.03);
    orr_trace_destroy(t);
    o.deadline_share = 0.25;
    double has = 0;
    t = make(&o);
    for (size_t i = 0; i < o.jobs; i++)
        has += orr_trace_jobs(t)[i].deadline != ORR_TIME_NONE;
    check_near("share", has / 4000, 0.25, 0.08);
    orr_trace_destroy(t);
}

static void weights_have_their_shares(void **state)
{
    (void)state;
    const orr_synth_options o = with("weights", 20000);
    orr_trace *t = make(&o);
    double count[9] = {0};
    for (size_t i = 0; i < o.jobs; i++)
        count[(int)orr_trace_jobs(t)[i].weight]++;
    check_near("1", count[1], 12000, 0.03);
    check_near("2", count[2], 5000, 0.05);
    check_near("4", count[4], 2000, 0.07);
    check_near("8", count[8], 1000, 0.10);
    orr_trace_destroy(t);
}

/* ---- through a file ---- */

/* All columns and attributes come back as they were. */
static void families_survive_a_file(void **state)
{
    (void)state;
    char path[] = "/tmp/orrery-families-XXXXXX";
    orr_error e = {0};
    const orr_synth_options o = with("loss,noise,host,sharing,scaling,models,trials,retries,deadlines,weights", 500);
    const int fd = mkstemp(path);
    assert_true(fd >= 0);
    close(fd);
    orr_trace *made = make(&o);
    assert_int_equal(orr_trace_write(made, path, NULL, &e), ORR_OK);
    orr_trace *read = orr_trace_read(path, &(orr_trace_options){.replay_attempts = true}, &e);
    if (!read)
        fail_msg("%s", e.message);
    unlink(path);
    const char *const *names;
    const size_t n = orr_trace_attributes(made, &names);
    assert_int_equal(n, 11);
    for (size_t i = 0; i < o.jobs; i++) {
        const orr_trace_job *a = &orr_trace_jobs(made)[i], *b = &orr_trace_jobs(read)[i];
        assert_true(a->weight <= b->weight && a->weight >= b->weight && a->mem_bytes == b->mem_bytes);
        assert_true(a->cpu_milli == b->cpu_milli && a->gpu_mem_bytes == b->gpu_mem_bytes);
        assert_true(a->attempt_count == b->attempt_count && a->deadline == b->deadline && a->max_gpus == b->max_gpus);
        for (size_t k = 0; k < n; k++)
            assert_string_equal(orr_trace_attribute(made, a, names[k]), orr_trace_attribute(read, b, names[k]));
    }
    orr_trace_destroy(made);
    orr_trace_destroy(read);
}

/* ---- trials ---- */

/* A group's jobs stand together by id. Each has one done job, the rest are killed between a sixteenth and the whole of
 * their full length; the full lengths are 0.8 to 1 times one length. */
static void check_group(const orr_trace *t, const orr_trace_job *j, size_t n)
{
    double least = INFINITY, most = 0;
    int done = 0;
    for (size_t k = 0; k < n; k++) {
        const double full = number(t, &j[k], "full_duration"), ran = orr_time_seconds(j[k].duration);
        assert_int_equal(j[k].submit, j[0].submit);
        assert_int_equal(j[k].gpus, j[0].gpus);
        assert_string_equal(j[k].user, j[0].user);
        assert_string_equal(j[k].name, j[0].name);
        least = fmin(least, full);
        most = fmax(most, full);
        done += j[k].ending == ORR_ENDING_DONE;
        if (j[k].ending == ORR_ENDING_DONE)
            assert_true(ran >= full && ran <= full);
        else
            assert_true(j[k].ending == ORR_ENDING_KILLED && ran >= floor(full / 16) && ran <= full);
    }
    assert_int_equal(done, 1);
    assert_true(least >= 0.8 / 1.0 * most - 1);
}

static void all_but_the_best_are_stopped(void **state)
{
    (void)state;
    orr_synth_options o = with("trials", 6000);
    o.trials = 5;
    o.arrivals = "poisson";
    orr_trace *t = make(&o);
    const orr_trace_job *j = orr_trace_jobs(t);
    double groups = 0;
    for (size_t i = 0, n; i < o.jobs; i += n) {
        for (n = 1; i + n < o.jobs && strcmp(j[i].group, j[i + n].group) == 0; n++)
            ;
        assert_true(j[i].group[0] && n <= 9);
        groups++;
        if (n > 1)
            check_group(t, &j[i], n);
        else
            assert_string_equal(orr_trace_attribute(t, &j[i], "full_duration"), "");
    }
    check_near("trials a group", 6000 / groups, 5, 0.05);
    orr_trace_destroy(t);
}

/* The load is that of what is run, the cut trials. */
static void trials_meet_the_load(void **state)
{
    (void)state;
    orr_synth_options o = with("trials,retries", 5000);
    o.load = 0.7;
    o.gpus = 128;
    o.arrivals = "poisson";
    orr_trace *t = make(&o);
    const orr_trace_job *j = orr_trace_jobs(t);
    double work = 0;
    for (size_t i = 0; i < o.jobs; i++)
        work += orr_time_seconds(j[i].duration) * j[i].gpus;
    check_near("load", work / (128 * orr_time_seconds(j[o.jobs - 1].submit)), 0.7, 0.02);
    orr_trace_destroy(t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_family_fills_its_own_columns_only),
        cmocka_unit_test(families_do_not_disturb_each_other),
        cmocka_unit_test(families_are_listed),
        cmocka_unit_test(losses_fall_as_stated),
        cmocka_unit_test(noise_stands_to_the_batch),
        cmocka_unit_test(hosts_are_as_pai_asks),
        cmocka_unit_test(profiles_have_their_means),
        cmocka_unit_test(ranges_hold_the_size),
        cmocka_unit_test(one_name_is_one_model),
        cmocka_unit_test(attempts_add_up),
        cmocka_unit_test(deadlines_follow_the_rule),
        cmocka_unit_test(weights_have_their_shares),
        cmocka_unit_test(families_survive_a_file),
        cmocka_unit_test(all_but_the_best_are_stopped),
        cmocka_unit_test(trials_meet_the_load),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
