/* Which jobs moved, from pairs of hand-made logs: who ended when, in which order they are told, where they part. */
#include "log/log.h"
#include "study/moved.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <unistd.h>

#include <cmocka.h>

#define S ORR_SECOND
enum { JOBS = 5 };

/* When each job starts and ends, in seconds; -1: never. All are submitted at 10 times their number. */
typedef struct plan {
    int start[JOBS], end[JOBS];
} plan;

static const char *const ids[JOBS] = {"j1", "j2", "j10", "j9", "j3"};

static void write_submission(orr_log_writer *w, uint32_t job)
{
    const orr_time attempts = 100 * S;
    const orr_log_request request = {.id = ids[job], .user = "", .vc = "", .name = "", .model = "", .types = "",
                                     .pool = -1, .gpus = 1, .min_gpus = 1, .max_gpus = 1, .milli = 1000,
                                     .asked = (orr_time)job * 10 * S, .duration = 100 * S, .deadline = ORR_TIME_NONE,
                                     .ran = ORR_TIME_NONE, .attempts = &attempts, .attempt_count = 1};
    orr_log_write(w, &(orr_log_record){.kind = ORR_LOG_SUBMIT, .at = request.asked, .job = job, .request = &request});
}

static void write_at(orr_log_writer *w, const plan *p, int second)
{
    for (uint32_t i = 0; i < JOBS; i++)
        if (p->end[i] == second)
            orr_log_write(w, &(orr_log_record){.kind = ORR_LOG_FINISH, .at = second * S, .job = i, .reason = ""});
    for (uint32_t i = 0; i < JOBS; i++)
        if ((int)i * 10 == second)
            write_submission(w, i);
    for (uint32_t i = 0; i < JOBS; i++) {
        const orr_log_slice slice = {.milli = 1000, .gpus = (uint64_t)1 << i};
        if (p->start[i] == second)
            orr_log_write(w, &(orr_log_record){.kind = ORR_LOG_START, .at = second * S, .job = i, .from = second * S,
                                               .rate = 1, .slices = &slice, .slice_count = 1});
    }
}

static void write_log(const char *path, const char *digest, const plan *p, bool whole)
{
    const orr_log_nodes nodes = {.count = 1, .gpus = 8, .type = "", .vc = "", .rack = "", .name = ""};
    const orr_log_header header = {.program = "test", .trace = "t", .trace_digest = digest, .cluster = "c",
                                   .cluster_digest = "", .policy = "p", .policy_resolved = "p", .costs = "zero",
                                   .clock = "exact", .measure = "all", .model = "linear", .jobs = JOBS,
                                   .profiles = "", .profiles_digest = "", .throughputs = "", .throughputs_digest = "", .applications = "",
                                   .applications_digest = "", .interference = "", .net = "",
                                   .scenario = "", .scenario_digest = "",
                                   .nodes = &nodes, .node_runs = 1};
    orr_log_writer *w = orr_log_writer_create(path, NULL);
    assert_non_null(w);
    orr_log_write_header(w, &header);
    for (int second = 0; second <= 1000; second += 10)
        write_at(w, p, second);
    if (whole)
        orr_log_write(w, &(orr_log_record){.kind = ORR_LOG_STOP, .at = 1000 * S, .stop = ORR_LOG_DRAINED});
    assert_int_equal(orr_log_writer_commit(w, NULL), ORR_OK);
}

static const plan before = {{0, 10, 20, 30, 40}, {100, 110, 120, 130, 140}};
/* j2 and j10 end 50 s later and earlier, j9 200 s later, j3 never; j1 as it did */
static const plan after = {{0, 60, 20, 230, -1}, {100, 160, 70, 330, -1}};

static void compare(const char *digest, bool whole, size_t most, orr_moved *m, orr_error *e)
{
    write_log("moved-a.orrlog", "d", &before, true);
    write_log("moved-b.orrlog", digest, &after, whole);
    *m = (orr_moved){0};
    (void)!orr_moved_compare("moved-a.orrlog", "moved-b.orrlog", most, m, e);
    unlink("moved-a.orrlog");
    unlink("moved-b.orrlog");
}

static void farthest_first(void **state)
{
    (void)state;
    orr_moved m;
    orr_error e = {0};
    compare("d", true, 10, &m, &e);
    assert_int_equal(e.code, ORR_OK);
    assert_int_equal(m.jobs, JOBS);
    assert_int_equal(m.moved, 4);
    assert_int_equal(m.worst.n, 4);
    static const struct {
        const char *id;
        int before, now; /* JCT */
    } want[4] = {{"j3", 100, -1}, {"j9", 100, 300}, {"j2", 100, 150}, {"j10", 100, 50}};
    for (size_t i = 0; i < 4; i++) {
        const orr_moved_job *job = &m.worst.at[i];
        assert_string_equal(job->id, want[i].id);
        assert_true(job->before == want[i].before * S);
        assert_true(job->now == (want[i].now < 0 ? ORR_TIME_NONE : want[i].now * S));
    }
    orr_moved_fini(&m);
}

/* j2 was started at 10, now at 60: the runs part at 10. j10 starts as it did and only ends earlier, undecided. */
static void where_they_part(void **state)
{
    (void)state;
    orr_moved m;
    orr_error e = {0};
    compare("d", true, 10, &m, &e);
    assert_true(m.parted);
    assert_true(m.parted_at == 10 * S);
    assert_string_equal(m.first_job, "j2");
    const orr_moved_job *j3 = &m.worst.at[0], *j2 = &m.worst.at[2];
    assert_true(j2->parted && j2->parted_at == 10 * S);
    assert_string_equal(j2->then, "start on node0:1");
    assert_string_equal(j2->instead, "start on node0:1 at 0d 00:01:00");
    assert_true(j3->parted && j3->parted_at == 40 * S);
    assert_string_equal(j3->then, "start on node0:4");
    assert_string_equal(j3->instead, "");
    orr_moved_fini(&m);
}

static void no_more_than_asked(void **state)
{
    (void)state;
    orr_moved m;
    orr_error e = {0};
    compare("d", true, 2, &m, &e);
    assert_int_equal(m.moved, 4);
    assert_int_equal(m.worst.n, 2);
    assert_string_equal(m.worst.at[1].id, "j9");
    orr_moved_fini(&m);
}

static void what_cannot_be_told(void **state)
{
    (void)state;
    orr_moved m;
    orr_error other = {0}, cut = {0}, none = {0};
    compare("another", true, 10, &m, &other);
    assert_int_equal(other.code, ORR_E_NOT_COMPARABLE);
    orr_moved_fini(&m);
    compare("d", false, 10, &m, &cut);
    assert_int_equal(cut.code, ORR_E_TRUNCATED);
    orr_moved_fini(&m);
    m = (orr_moved){0};
    assert_int_equal(orr_moved_compare("nowhere.orrlog", "moved-b.orrlog", 1, &m, &none), ORR_E_OPEN);
    orr_moved_fini(&m);
}

static void names_of_references(void **state)
{
    (void)state;
    uint64_t seeds[2] = {1, 7};
    orr_baseline_case c = {.name = "las: a/b <1>"};
    orr_text name = {0};
    c.seeds.at = seeds;
    c.seeds.n = 1;
    orr_reference_name(&c, 0, &name);
    assert_string_equal(name.at, "las--a-b--1-.orrlog");
    orr_text_clear(&name);
    c.name = "..";
    c.seeds.n = 2;
    orr_reference_name(&c, 1, &name);
    assert_string_equal(name.at, "-.-seed7.orrlog");
    orr_text_fini(&name);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(farthest_first),      cmocka_unit_test(where_they_part),
        cmocka_unit_test(no_more_than_asked),  cmocka_unit_test(what_cannot_be_told),
        cmocka_unit_test(names_of_references),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
