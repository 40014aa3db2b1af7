/* Metrics of hand-solved schedules. */
#include "feed.h"

/* 4 GPUs, one pool. B waits behind A, C slips past it. B pays 2 s of start-up before its 8 s of work.
 *
 *   t    0    5    10   15   20   25   30
 *   gpu  AAAA AAAA AAAA AAAA bbBB BBBB       A(0, 2 GPUs, 20 s)  user u
 *        AAAA AAAA AAAA AAAA bbBB BBBB       B(5, 4 GPUs,  8 s)  user v
 *                  CCCC      bbBB BBBB       C(10, 2 GPUs, 5 s)  user u
 *                  CCCC      bbBB BBBB
 *   queue     B    B    B
 */
static feed_job abc[] = {
    {.id = "A", .user = "u", .gpus = 2, .submit = 0, .duration = 20, .first_start = 0, .end = 20, .held = 20,
     .state = ORR_JOB_DONE, .starts = 1},
    {.id = "B", .user = "v", .gpus = 4, .submit = 5, .duration = 8, .first_start = 20, .end = 30, .held = 10,
     .state = ORR_JOB_FAILED, .starts = 1, .overhead = 8},
    {.id = "C", .user = "u", .gpus = 2, .submit = 10, .duration = 5, .first_start = 10, .end = 15, .held = 5,
     .state = ORR_JOB_KILLED, .starts = 1},
};
static const feed_level abc_levels[] = {
    {.at = 0, .vc = -1, .total = 4, .held = 2, .busy = 2, .running = 1},
    {.at = 5, .vc = -1, .total = 4, .held = 2, .busy = 2, .jobs_queued = 1, .gpus_queued = 4, .running = 1},
    {.at = 10, .vc = -1, .total = 4, .held = 4, .busy = 4, .jobs_queued = 1, .gpus_queued = 4, .running = 2},
    {.at = 15, .vc = -1, .total = 4, .held = 2, .busy = 2, .jobs_queued = 1, .gpus_queued = 4, .running = 1},
    {.at = 20, .vc = -1, .total = 4, .held = 4, .busy = 0, .running = 1},
    {.at = 22, .vc = -1, .total = 4, .held = 4, .busy = 4, .running = 1},
    {.at = 30, .vc = -1, .total = 4},
};

static orr_collector *abc_collector(const orr_measure *measure)
{
    orr_collector *c = orr_collector_create_for(measure, feed_access());
    feed_levels(c, abc_levels, COUNT(abc_levels));
    feed_jobs(c, abc, COUNT(abc));
    return c;
}

static const orr_metrics *close_one_pool(orr_collector *c, double now, int64_t gpus)
{
    size_t count;
    orr_run_end end = {.now = feed_time(now), .gpus = gpus, .vcs = 1, .vc_gpus = &gpus};
    const orr_metrics *m = orr_collector_close(c, &end, &count);
    assert_int_equal(count, 1);
    return m;
}

static void times_of_jobs(void **state)
{
    (void)state;
    orr_collector *c = abc_collector(NULL);
    const orr_metrics *m = close_one_pool(c, 30, 4);
    assert_int_equal(m->measured, 3);
    assert_false(m->biased);
    /* 5, 20, 25 */
    assert_metric(m, "jct.n", 3);
    assert_metric(m, "jct.mean", 50.0 / 3);
    assert_metric(m, "jct.p50", 20);
    assert_metric(m, "jct.p90", 24);
    assert_metric(m, "jct.p95", 24.5);
    assert_metric(m, "jct.p99", 24.9);
    assert_metric(m, "jct.max", 25);
    assert_metric(m, "wait_first.sum", 15);
    assert_metric(m, "wait_total.max", 15);
    assert_metric(m, "service.sum", 90);
    assert_metric(m, "makespan", 30);
    assert_metric(m, "age_max", 15);
    orr_collector_destroy(c);
}

static void ratios_of_jobs(void **state)
{
    (void)state;
    orr_collector *c = abc_collector(NULL);
    const orr_metrics *m = close_one_pool(c, 30, 4);
    /* 20/20, 25/8, 5/5; bounded by 10 s: 1, 25/10, 5/10 -> 1 */
    assert_metric(m, "slowdown.sum", 2 + 3.125);
    assert_metric(m, "slowdown.geomean", cbrt(3.125));
    assert_metric(m, "bsld.sum", 4.5);
    assert_metric(m, "bsld.geomean", cbrt(2.5));
    /* u: 40 + 10, v: 40 */
    assert_metric(m, "jain", 8100.0 / (2 * (2500 + 1600)));
    assert_metric(m, "overhead", 8);
    assert_metric(m, "deadline_met", NAN);
    /* what only the run itself could tell */
    assert_metric(m, "gpu_util", NAN);
    assert_metric(m, "frag", NAN);
    assert_metric(m, "frag:node", NAN);
    assert_metric(m, "jain:vc", NAN);
    orr_collector_destroy(c);
}

static void integrals_over_the_window(void **state)
{
    (void)state;
    orr_collector *c = abc_collector(NULL);
    const orr_metrics *m = close_one_pool(c, 30, 4);
    assert_metric(m, "window", 30);
    assert_metric(m, "gpu_alloc", 90.0 / 120);
    assert_metric(m, "gpu_busy", 82.0 / 120);
    assert_metric(m, "queue_len", 15.0 / 30);
    assert_metric(m, "queue_gpus", 60.0 / 30);
    assert_metric(m, "load", (2 * 20 + 4 * 8 + 2 * 5) / (4 * 10.0)); /* submissions span 0..10 */
    orr_collector_destroy(c);
}

/* Jobs present: 1 in 0..5, 2 in 5..10, 3 in 10..15, 2 in 15..20, 1 in 20..30.
 *   A  N = (5 + 10 + 15 + 10) / 20 = 2     share 4/2 = 2     T_id = 20            rho 20 / 20
 *   B  N = (10 + 15 + 10 + 10) / 25 = 1.8  share 4/1.8       T_id = 8 4 1.8 / 4   rho 25 / 14.4
 *   C  N = 15 / 5 = 3                      share 4/3         T_id = 5 2 3 / 4     rho 5 / 7.5
 */
static void finish_time_fairness(void **state)
{
    (void)state;
    orr_collector *c = abc_collector(NULL);
    const orr_metrics *m = close_one_pool(c, 30, 4);
    size_t n;
    const orr_kept_job *jobs = orr_collector_jobs(c, &n);
    assert_int_equal(n, 3);
    assert_true(fabs(jobs[0].rho - 1) < 1e-15);
    assert_true(fabs(jobs[1].rho - 25 / 14.4) < 1e-15);
    assert_true(fabs(jobs[2].rho - 5 / 7.5) < 1e-15);
    assert_metric(m, "rho_worst", 25 / 14.4);
    assert_metric(m, "rho.max", 25 / 14.4);
    assert_metric(m, "rho.geomean", cbrt(25 / 14.4 * (5 / 7.5)));
    assert_metric(m, "rho_unfair", 1.0 / 3);
    orr_collector_destroy(c);
}

static void completed_only_narrows_the_set(void **state)
{
    (void)state;
    orr_measure measure = orr_measure_default();
    measure.completed_only = true;
    orr_collector *c = abc_collector(&measure);
    const orr_metrics *m = close_one_pool(c, 30, 4);
    assert_int_equal(m->measured, 1);
    assert_metric(m, "jct.mean", 20);
    assert_metric(m, "makespan", 20);
    assert_metric(m, "gpu_alloc", 0.75); /* the window is not narrowed */
    assert_metric(m, "rho.n", 1);
    assert_metric(m, "rho.mean", 1);     /* B and C still count as company */
    assert_int_equal(m->jobs.submitted, 3);
    assert_int_equal(m->jobs.failed, 1);
    orr_collector_destroy(c);
}

/* 2 GPUs. P is preempted twice by Q and R, is moved once, and loses 3 s of work.
 *
 *   t   0         10        20        30
 *   P   ==========..........=====.....======  held 10 + 5 + 8 - 2 = 21
 */
static void preempted_jobs(void **state)
{
    (void)state;
    feed_job jobs[] = {
        {.id = "P", .gpus = 2, .submit = 0, .duration = 15, .first_start = 0, .end = 36, .held = 21, .starts = 3,
         .preemptions = 2, .migrations = 1, .lost_work = 6, .overhead = 4, .state = ORR_JOB_DONE},
        {.id = "Q", .gpus = 2, .submit = 10, .duration = 10, .first_start = 10, .end = 20, .held = 10, .starts = 1,
         .state = ORR_JOB_DONE},
        {.id = "R", .gpus = 2, .submit = 25, .duration = 5, .first_start = 25, .end = 30, .held = 5, .starts = 2,
         .resizes = 1, .state = ORR_JOB_DONE},
    };
    orr_collector *c = orr_collector_create_for(NULL, feed_access());
    feed_jobs(c, jobs, COUNT(jobs));
    const orr_metrics *m = close_one_pool(c, 36, 2);
    assert_metric(m, "wait_first.max", 0);
    assert_metric(m, "wait_total.max", 15);
    assert_metric(m, "preemptions", 2);
    assert_metric(m, "migrations", 1);
    assert_metric(m, "resizes", 1);
    assert_metric(m, "preemptions_max", 2);
    assert_metric(m, "migrations_max", 1);
    assert_metric(m, "resizes_max", 1);
    assert_metric(m, "restarts", 3);
    assert_metric(m, "restarts_max", 2);
    assert_metric(m, "lost_work", 6);
    assert_metric(m, "overhead", 4);
    assert_metric(m, "jain", NAN); /* nobody has a name */
    orr_collector_destroy(c);
}

/* One GPU, three jobs of 100 s at once, stopped at 50: nothing has a completion time, two wait to the end.
 *
 *   t    0        50
 *   gpu  XXXXXXXXX|
 *   queue YYYYYYYY|   and Z
 */
static void a_run_cut_short(void **state)
{
    (void)state;
    feed_job jobs[] = {
        {.id = "X", .gpus = 1, .duration = 100, .first_start = 0, .end = NEVER, .held = 50, .starts = 1,
         .deadline = 200, .state = ORR_JOB_RUNNING},
        {.id = "Y", .gpus = 1, .duration = 100, .first_start = NEVER, .end = NEVER, .state = ORR_JOB_QUEUED},
        {.id = "Z", .gpus = 1, .duration = 100, .first_start = NEVER, .end = NEVER, .state = ORR_JOB_QUEUED,
         .censored = true},
    };
    static const feed_level levels[] = {{.at = 0, .vc = -1, .total = 1, .held = 1, .busy = 1, .jobs_queued = 2,
                                         .gpus_queued = 2, .running = 1}};
    orr_collector *c = orr_collector_create_for(NULL, feed_access());
    feed_levels(c, levels, COUNT(levels));
    feed_jobs(c, jobs, COUNT(jobs));
    const orr_metrics *m = close_one_pool(c, 50, 1);
    assert_true(m->biased);
    assert_metric(m, "measured", 0);
    assert_metric(m, "queue_len", 2);
    assert_metric(m, "gpu_alloc", 1);
    assert_metric(m, "age_max", 50);
    assert_metric(m, "deadline_met", 0);
    static const char *const undefined[] = {"jct.mean", "jct.max", "wait_first.p50", "wait_total.mean", "service.sum",
                                            "slowdown.geomean", "rho_worst", "rho_unfair", "makespan", "load"};
    for (size_t i = 0; i < COUNT(undefined); i++)
        assert_metric(m, undefined[i], NAN);
    orr_job_counts want = {.submitted = 3, .running_at_end = 1, .queued_at_end = 2, .censored = 1};
    assert_memory_equal(&m->jobs, &want, sizeof want);
    orr_collector_destroy(c);
}

/* A, B (still running when the record ended) and C (there before it began) end alike: A alone has a known length and beginning.
 * The others are measured where the rule says so; for the load all three count. */
static void what_is_cut_off_is_left_out(void **state)
{
    (void)state;
    static const struct {
        const char *rule;
        uint64_t n;
        double mean;
    } rows[] = {{"all", 1, 10}, {"all+censored", 2, 15}, {"all+carried", 2, 20}, {"completed+censored+carried", 3, 20},
                {"jobs:1..", 0, NAN}, {"all+carried,jobs:1..", 1, 30}};
    for (size_t i = 0; i < COUNT(rows); i++) {
        feed_job jobs[] = {
            {.id = "A", .gpus = 1, .duration = 10, .first_start = 0, .end = 10, .held = 10, .state = ORR_JOB_DONE},
            {.id = "B", .gpus = 1, .duration = 20, .first_start = 0, .end = 20, .held = 20, .state = ORR_JOB_DONE,
             .censored = true},
            {.id = "C", .gpus = 1, .submit = 0, .duration = 30, .first_start = 0, .end = 30, .held = 30,
             .state = ORR_JOB_DONE, .carried = true},
        };
        orr_measure measure;
        assert_int_equal(orr_measure_parse(rows[i].rule, &measure, NULL), ORR_OK);
        orr_collector *c = orr_collector_create_for(&measure, feed_access());
        feed_jobs(c, jobs, COUNT(jobs));
        const orr_metrics *m = close_one_pool(c, 30, 3);
        assert_int_equal(m->measured, rows[i].n);
        assert_metric(m, "jct.mean", rows[i].mean);
        assert_false(m->biased);
        orr_job_counts want = {.submitted = 3, .done = 3, .censored = 1, .carried = 1};
        assert_memory_equal(&m->jobs, &want, sizeof want);
        orr_collector_destroy(c);
    }
}

/* The survivors' own numbers stay, and say that they are biased. */
static void survivors_are_marked(void **state)
{
    (void)state;
    feed_job jobs[] = {
        {.id = "1", .gpus = 1, .duration = 10, .first_start = 0, .end = 10, .held = 10, .starts = 1,
         .state = ORR_JOB_DONE},
        {.id = "2", .gpus = 1, .duration = 90, .first_start = 10, .end = NEVER, .held = 20, .starts = 1,
         .state = ORR_JOB_CHECKPOINTING},
    };
    orr_collector *c = orr_collector_create_for(NULL, feed_access());
    feed_jobs(c, jobs, COUNT(jobs));
    const orr_metrics *m = close_one_pool(c, 30, 1);
    assert_true(m->biased);
    assert_metric(m, "jct.mean", 10);
    assert_int_equal(m->jobs.running_at_end, 1);
    assert_metric(m, "rho.mean", 10.0 / 20); /* two were present all the time */
    orr_collector_destroy(c);
}

/* Five jobs back to back on one GPU, cut at 35; measured are jobs 1 to 3, of which the last is not done.
 *
 *   t  0       10        20        30   35
 *      0000000011111111112222222222 33333|  4 waits
 */
static void a_range_of_jobs(void **state)
{
    (void)state;
    feed_job jobs[5];
    for (int i = 0; i < 5; i++) {
        jobs[i] = (feed_job){.id = "", .gpus = 1, .submit = i, .duration = 10, .first_start = 10 * i,
                             .end = 10 * i + 10, .held = 10, .starts = 1, .state = ORR_JOB_DONE};
    }
    jobs[3].end = NEVER;
    jobs[3].state = ORR_JOB_RUNNING;
    jobs[4].first_start = jobs[4].end = NEVER;
    jobs[4].held = 0;
    jobs[4].state = ORR_JOB_QUEUED;
    orr_measure measure = orr_measure_default();
    measure.job_from = 1;
    measure.job_to = 4;
    orr_collector *c = orr_collector_create_for(&measure, feed_access());
    feed_jobs(c, jobs, 5);
    const orr_metrics *m = close_one_pool(c, 35, 1);
    assert_int_equal(m->measured, 2);
    assert_true(m->biased);
    assert_metric(m, "jct.mean", (19 + 28) / 2.0);
    assert_metric(m, "age_max", 27);  /* job 3 waited 3..30; job 4, out of range, 31 so far */
    assert_metric(m, "load", 30 / 2.0);
    assert_metric(m, "window", 35);
    assert_int_equal(m->jobs.submitted, 5);
    orr_collector_destroy(c);
}

static void a_range_of_time_is_half_open(void **state)
{
    (void)state;
    orr_measure measure = orr_measure_default();
    measure.from = 5 * ORR_SECOND;
    measure.to = 10 * ORR_SECOND;
    orr_collector *c = abc_collector(&measure);
    const orr_metrics *m = close_one_pool(c, 30, 4);
    assert_int_equal(m->measured, 1); /* B at 5; C at 10 is out */
    assert_metric(m, "jct.mean", 25);
    /* the window is [5, 10), too: A holds 2 of 4 GPUs, B waits */
    assert_metric(m, "window", 5);
    assert_metric(m, "gpu_alloc", 0.5);
    assert_metric(m, "queue_len", 1);
    assert_metric(m, "queue_gpus", 4);
    assert_metric(m, "age_max", 15);
    orr_collector_destroy(c);
}

/* The margins of a trace whose submissions span 0..10: without the first 5 s and the last 2 s of it that is [5, 8). */
static void margins(void **state)
{
    (void)state;
    orr_measure measure = orr_measure_default();
    orr_trace *trace = orr_trace_create("abc");
    for (size_t i = 0; i < COUNT(abc); i++) {
        orr_trace_job job = orr_trace_job_default();
        job.submit = feed_time(abc[i].submit);
        assert_int_equal(orr_trace_add(trace, &job, NULL), ORR_OK);
    }
    assert_int_equal(orr_trace_finish(trace, NULL), ORR_OK);
    assert_int_equal(orr_measure_parse("warmup:5,cooldown:2", &measure, NULL), ORR_OK);
    orr_measure_on(&measure, trace);
    orr_trace_destroy(trace);
    orr_collector *c = abc_collector(&measure);
    const orr_metrics *m = close_one_pool(c, 30, 4);
    assert_int_equal(m->measured, 1); /* B at 5 */
    assert_metric(m, "window", 3);
    assert_metric(m, "gpu_alloc", 0.5);
    assert_metric(m, "service.sum", 40);
    assert_metric(m, "jobs.submitted", 3);
    orr_collector_destroy(c);
}

/* A margin alone leaves the other side as it is; a window behind the stop is empty. */
static void margins_of_one_side(void **state)
{
    (void)state;
    static const struct {
        double from, to;
        uint64_t measured;
        double window, alloc;
    } rows[] = {{10, NEVER, 1, 20, 20 / 80.0 + 50 / 80.0}, {NEVER, 10, 2, 10, 0.5}, {40, NEVER, 0, 0, NAN},
                {NEVER, 100, 3, 30, 0.75}};
    for (size_t i = 0; i < COUNT(rows); i++) {
        orr_measure measure = orr_measure_default();
        measure.warm_from = feed_time(rows[i].from);
        measure.cool_to = feed_time(rows[i].to);
        orr_collector *c = abc_collector(&measure);
        const orr_metrics *m = close_one_pool(c, 30, 4);
        assert_int_equal(m->measured, rows[i].measured);
        assert_metric(m, "window", rows[i].window);
        assert_metric(m, "gpu_alloc", rows[i].alloc);
        orr_collector_destroy(c);
    }
}

/* Two VCs kept apart, 2 GPUs in the first, 4 in the second.
 *
 *   t     0         10        20
 *   vc 0  aaaaaaaaaabbbbbbbbbb      a(0, 2, 10)  b(0, 2, 10)
 *   vc 1  cccccccccccccccccccc      c(0, 4, 20)
 */
static feed_job two_vcs[] = {
    {.id = "a", .gpus = 2, .duration = 10, .first_start = 0, .end = 10, .held = 10, .state = ORR_JOB_DONE, .starts = 1},
    {.id = "b", .gpus = 2, .duration = 10, .first_start = 10, .end = 20, .held = 10, .starts = 1,
     .state = ORR_JOB_DONE},
    {.id = "c", .gpus = 4, .duration = 20, .first_start = 0, .end = 20, .held = 20, .state = ORR_JOB_DONE, .starts = 1,
     .vc = 1},
};

static void vcs_have_their_own_numbers(void **state)
{
    (void)state;
    static const feed_level levels[] = {
        {.at = 0, .vc = 0, .total = 2, .held = 2, .busy = 2, .jobs_queued = 1, .gpus_queued = 2, .running = 1},
        {.at = 0, .vc = 1, .total = 4, .held = 4, .busy = 4, .running = 1},
        {.at = 0, .vc = -1, .total = 6, .held = 6, .busy = 6, .jobs_queued = 1, .gpus_queued = 2, .running = 2},
        {.at = 10, .vc = 0, .total = 2, .held = 2, .busy = 2, .running = 1},
        {.at = 10, .vc = -1, .total = 6, .held = 6, .busy = 6, .running = 2},
    };
    orr_collector *c = orr_collector_create_for(NULL, feed_access());
    feed_levels(c, levels, COUNT(levels));
    feed_jobs(c, two_vcs, COUNT(two_vcs));
    int64_t gpus[] = {2, 4};
    size_t count;
    orr_run_end end = {.now = 20 * ORR_SECOND, .gpus = 6, .vcs = 2, .vc_gpus = gpus};
    const orr_metrics *m = orr_collector_close(c, &end, &count);
    assert_int_equal(count, 3);
    assert_metric(&m[0], "jct.sum", 50);
    assert_metric(&m[1], "jct.sum", 30);
    assert_metric(&m[2], "jct.sum", 20);
    assert_metric(&m[0], "queue_len", 0.5);
    assert_metric(&m[1], "queue_len", 0.5);
    assert_metric(&m[2], "queue_len", 0);
    assert_metric(&m[2], "gpu_alloc", 1);
    assert_int_equal(m[1].gpus, 2);
    assert_int_equal(m[1].jobs.done + m[2].jobs.done, m[0].jobs.done);
    /* a: N = 2 of 2 GPUs, T_id = 10 2 / 1 = 20; b: N = 1.5, T_id = 15; c: alone, T_id = 20 */
    assert_metric(&m[0], "rho.sum", 10.0 / 20 + 20.0 / 15 + 1);
    assert_metric(&m[1], "rho_worst", 20.0 / 15);
    assert_metric(&m[2], "rho_worst", 1);
    orr_collector_destroy(c);
}

/* a and c alone: 20 GPU·s of 2 GPUs, 80 of 4. */
static void vcs_by_what_they_are_entitled_to(void **state)
{
    (void)state;
    feed_job jobs[] = {two_vcs[0], two_vcs[2]};
    orr_collector *c = orr_collector_create_for(NULL, feed_access());
    feed_jobs(c, jobs, COUNT(jobs));
    int64_t gpus[] = {2, 4};
    size_t count;
    orr_run_end end = {.now = 20 * ORR_SECOND, .gpus = 6, .vcs = 2, .vc_gpus = gpus};
    const orr_metrics *m = orr_collector_close(c, &end, &count);
    assert_int_equal(count, 3);
    assert_metric(&m[0], "jain:vc", 30.0 * 30 / (2 * (10 * 10 + 20 * 20)));
    assert_metric(&m[1], "jain:vc", NAN);
    assert_metric(&m[0], "jain", NAN); /* no users */
    orr_collector_destroy(c);
}

/* The same cluster run as one pool: every job is reported in VC 0, which has all GPUs. */
static void vcs_run_as_one_pool(void **state)
{
    (void)state;
    static const feed_level levels[] = {{.at = 0, .vc = 0, .total = 6, .held = 6},
                                        {.at = 0, .vc = -1, .total = 6, .held = 6}};
    feed_job jobs[COUNT(two_vcs)];
    memcpy(jobs, two_vcs, sizeof jobs);
    jobs[2].vc = 0;
    orr_collector *c = orr_collector_create_for(NULL, feed_access());
    feed_levels(c, levels, COUNT(levels));
    feed_jobs(c, jobs, COUNT(jobs));
    int64_t gpus[] = {2, 4};
    size_t count;
    orr_run_end end = {.now = 20 * ORR_SECOND, .gpus = 6, .vcs = 2, .vc_gpus = gpus};
    const orr_metrics *m = orr_collector_close(c, &end, &count);
    assert_int_equal(count, 1);
    /* N of a: 3, share 2; of b and c: 2.5, share 2.4 */
    assert_metric(m, "rho.sum", 10.0 / 10 + 20.0 / 10 + 20 / (20 * 4 / 2.4));
    orr_collector_destroy(c);
}

/* Only the first VC is used, but it is known to be smaller than the cluster: its jobs share its GPUs, not all. */
static void a_small_vc_alone(void **state)
{
    (void)state;
    static const feed_level levels[] = {{.at = 0, .vc = 0, .total = 2, .held = 2},
                                        {.at = 0, .vc = -1, .total = 6, .held = 2}};
    orr_collector *c = orr_collector_create_for(NULL, feed_access());
    feed_levels(c, levels, COUNT(levels));
    feed_jobs(c, two_vcs, 2);
    int64_t gpus[] = {2, 4};
    size_t count;
    orr_run_end end = {.now = 20 * ORR_SECOND, .gpus = 6, .vcs = 2, .vc_gpus = gpus};
    const orr_metrics *m = orr_collector_close(c, &end, &count);
    assert_int_equal(count, 3);
    assert_metric(&m[0], "rho_worst", 20.0 / 15);
    assert_metric(&m[2], "rho_worst", NAN);
    assert_metric(&m[2], "gpu_alloc", 0); /* its four GPUs were there and idle */
    assert_int_equal(m[2].jobs.submitted, 0);
    orr_collector_destroy(c);
}

/* A job of no length ends as it starts: it has a completion time, but no slowdown and no fair share. */
static void zero_length_jobs(void **state)
{
    (void)state;
    feed_job jobs[] = {
        {.id = "1", .gpus = 1, .duration = 0, .first_start = 0, .end = 0, .state = ORR_JOB_DONE, .starts = 1},
        {.id = "2", .gpus = 1, .duration = 4, .first_start = 0, .end = 4, .held = 4, .starts = 1,
         .state = ORR_JOB_DONE},
        {.id = "3", .gpus = 1, .duration = 0, .first_start = 4, .end = 4, .state = ORR_JOB_DONE, .starts = 1},
    };
    orr_collector *c = orr_collector_create_for(NULL, feed_access());
    feed_jobs(c, jobs, COUNT(jobs));
    const orr_metrics *m = close_one_pool(c, 4, 1);
    assert_metric(m, "jct.n", 3);
    assert_metric(m, "jct.sum", 8);
    assert_metric(m, "slowdown.n", 1);
    assert_metric(m, "slowdown.mean", 1);
    assert_metric(m, "bsld.n", 3);
    assert_metric(m, "rho.n", 1);
    assert_metric(m, "rho.mean", 0.5); /* job 3 was there with it all the time */
    orr_collector_destroy(c);
}

/* A whole run of no length divides by nothing. */
static void a_run_of_no_length(void **state)
{
    (void)state;
    feed_job job = {.id = "1", .gpus = 1, .submit = 7, .duration = 0, .first_start = 7, .end = 7,
                    .state = ORR_JOB_DONE};
    orr_collector *c = orr_collector_create_for(NULL, feed_access());
    feed_jobs(c, &job, 1);
    const orr_metrics *m = close_one_pool(c, 7, 1);
    assert_metric(m, "window", 0);
    assert_metric(m, "gpu_alloc", NAN);
    assert_metric(m, "queue_len", NAN);
    assert_metric(m, "makespan", 0);
    orr_collector_destroy(c);
}

/* Rejected and never submitted jobs have no times, are no company, and miss their deadlines if they came at all. */
static void rejected_and_pending_jobs(void **state)
{
    (void)state;
    feed_job jobs[] = {
        {.id = "ok", .gpus = 1, .duration = 10, .first_start = 0, .end = 10, .held = 10, .deadline = 10,
         .state = ORR_JOB_DONE, .starts = 1},
        {.id = "late", .gpus = 1, .duration = 10, .first_start = 10, .end = 20, .held = 10, .deadline = 19,
         .state = ORR_JOB_DONE, .starts = 1},
        {.id = "wide", .gpus = 9, .duration = 10, .first_start = NEVER, .end = 0, .deadline = 100, .vc = -1,
         .state = ORR_JOB_REJECTED, .reason = "too wide"},
        {.id = "killed", .gpus = 1, .duration = 10, .first_start = NEVER, .end = 12, .deadline = 15,
         .state = ORR_JOB_KILLED},
        {.id = "future", .gpus = 1, .submit = NEVER, .duration = 10, .first_start = NEVER, .end = NEVER,
         .deadline = 100, .state = ORR_JOB_PENDING},
    };
    orr_collector *c = orr_collector_create_for(NULL, feed_access());
    feed_jobs(c, jobs, COUNT(jobs));
    const orr_metrics *m = close_one_pool(c, 20, 2);
    orr_job_counts want = {.submitted = 4, .done = 2, .killed = 1, .rejected = 1};
    assert_memory_equal(&m->jobs, &want, sizeof want);
    assert_false(m->biased);
    assert_metric(m, "deadlines", 4);
    assert_metric(m, "deadline_met", 0.25);
    assert_metric(m, "jct.n", 3);
    assert_metric(m, "wait_first.n", 2); /* the killed one never started */
    assert_metric(m, "age_max", 12);
    /* ok: N = 3, share 2/3, T_id 15 */
    size_t n;
    const orr_kept_job *kept = orr_collector_jobs(c, &n);
    assert_int_equal(n, 5);
    assert_true(fabs(kept[0].rho - 10.0 / 15) < 1e-15);
    assert_true(isnan(kept[2].rho) && isnan(kept[4].rho));
    assert_string_equal(kept[2].record.reason, "too wide");
    orr_collector_destroy(c);
}

/* A reason is copied: its text may be gone when the run is over. */
static void reasons_are_kept(void **state)
{
    (void)state;
    char reason[] = "admission";
    feed_job job = {.id = "1", .gpus = 1, .duration = 1, .first_start = NEVER, .end = 0, .state = ORR_JOB_REJECTED,
                    .reason = reason};
    orr_collector *c = orr_collector_create_for(NULL, feed_access());
    feed_jobs(c, &job, 1);
    memset(reason, 'x', sizeof reason - 1);
    close_one_pool(c, 0, 1);
    size_t n;
    assert_string_equal(orr_collector_jobs(c, &n)[0].record.reason, "admission");
    orr_collector_destroy(c);
}

static void nothing_at_all(void **state)
{
    (void)state;
    orr_collector *c = orr_collector_create_for(NULL, feed_access());
    const orr_metrics *m = close_one_pool(c, 0, 8);
    assert_metric(m, "jct.mean", NAN);
    assert_metric(m, "window", 0);
    assert_metric(m, "age_max", NAN);
    assert_int_equal(m->jobs.submitted, 0);
    orr_collector_destroy(c);
    orr_collector_destroy(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(times_of_jobs),
        cmocka_unit_test(ratios_of_jobs),
        cmocka_unit_test(integrals_over_the_window),
        cmocka_unit_test(finish_time_fairness),
        cmocka_unit_test(completed_only_narrows_the_set),
        cmocka_unit_test(preempted_jobs),
        cmocka_unit_test(a_run_cut_short),
        cmocka_unit_test(what_is_cut_off_is_left_out),
        cmocka_unit_test(survivors_are_marked),
        cmocka_unit_test(a_range_of_jobs),
        cmocka_unit_test(a_range_of_time_is_half_open),
        cmocka_unit_test(margins),
        cmocka_unit_test(margins_of_one_side),
        cmocka_unit_test(vcs_have_their_own_numbers),
        cmocka_unit_test(vcs_by_what_they_are_entitled_to),
        cmocka_unit_test(vcs_run_as_one_pool),
        cmocka_unit_test(a_small_vc_alone),
        cmocka_unit_test(zero_length_jobs),
        cmocka_unit_test(a_run_of_no_length),
        cmocka_unit_test(rejected_and_pending_jobs),
        cmocka_unit_test(reasons_are_kept),
        cmocka_unit_test(nothing_at_all),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
