/* Slurm's accounting as sacct prints it: every rule on a few rows written by hand; no public log is at hand. */
#include "reading.h"
#include "trace/slurm_text.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

/* ---- the languages of cells ---- */

static void resources(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        bool good;
        int64_t gpus, cpus, nodes, mem_mib;
        const char *types;
    } rows[] = {
        {"billing=8,cpu=8,gres/gpu=4,gres/gpu:a100=4,mem=64G,node=1", true, 4, 8, 1, 65536, "a100"},
        {"gres/gpu:a100=4,gres/gpu=4", true, 4, -1, -1, -1, "a100"},
        {"gres/gpu:a100=2,gres/gpu:v100=3", true, 5, -1, -1, -1, "a100|v100"},
        {"gres/gpu:a100=2,gres/gpu:a100=3", true, 5, -1, -1, -1, "a100"},
        {"gres/gpu=8", true, 8, -1, -1, -1, ""},
        {"cpu=16,mem=62.50G,node=2", true, -1, 16, 2, 64000, ""},
        {"cpu=1,gres/shard=2,gres/gpumem=40G,gres/gpuutil=100,energy=5,fs/disk=77", true, -1, 1, -1, -1, ""},
        {"", true, -1, -1, -1, -1, ""},
        {"nonsense", true, -1, -1, -1, -1, ""},
        {"gres/gpu=", false, 0, 0, 0, 0, ""},
        {"gres/gpu=many", false, 0, 0, 0, 0, ""},
        {"gres/gpu=-1", false, 0, 0, 0, 0, ""},
        {"cpu=1.5", false, 0, 0, 0, 0, ""},
        {"mem=64X", false, 0, 0, 0, 0, ""},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        orr_slurm_resources r;
        const bool good = orr_slurm_tres(rows[i].text, &r);
        const int64_t mem = rows[i].mem_mib < 0 ? -1 : rows[i].mem_mib * 1048576;
        if (good != rows[i].good ||
            (good && (r.gpus != rows[i].gpus || r.cpus != rows[i].cpus || r.nodes != rows[i].nodes ||
                      r.mem_bytes != mem || strcmp(r.types, rows[i].types) != 0)))
            fail_msg("%s", rows[i].text);
    }
}

static void generic_resources(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        bool good;
        int64_t gpus;
        const char *types;
    } rows[] = {
        {"gpu:4", true, 4, ""},
        {"gpu:a100:4", true, 4, "a100"},
        {"gpu:a100:2(IDX:0,3),gpu:v100:1(S:0)", true, 3, "a100|v100"},
        {"gpu", true, 1, ""},
        {"gpu:tesla", true, 1, "tesla"},
        {"craynetwork:1,gpu:2", true, 2, ""},
        {"gpus:2", true, -1, ""},
        {"", true, -1, ""},
        {"gpu:a100:x", false, 0, ""},
        {"gpu:2x", false, 0, ""},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        orr_slurm_resources r;
        const bool good = orr_slurm_gres(rows[i].text, &r);
        if (good != rows[i].good || (good && (r.gpus != rows[i].gpus || strcmp(r.types, rows[i].types) != 0)))
            fail_msg("%s", rows[i].text);
    }
}

static void memory(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        int64_t kib; /* -1: none */
        char per;
    } rows[] = {
        {"4000M", 4096000, 0}, {"64G", 67108864, 0},   {"4Gc", 4194304, 'c'},   {"16Gn", 16777216, 'n'},
        {"0n", 0, 'n'},        {"512K", 512, 0},       {"1.5T", 1610612736, 0}, {"1P", INT64_C(1) << 40, 0},
        {"2048", 2097152, 0},  {"100Mc", 102400, 'c'}, {"4GB", -1, 0},          {"", -1, 0},
        {"c", -1, 0},          {"-4G", -1, 0},         {"9999999P", -1, 0},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        int64_t bytes = -1;
        char per = 0;
        const bool good = orr_slurm_memory(rows[i].text, strlen(rows[i].text), &bytes, &per);
        if (good != (rows[i].kib >= 0) || (good && (bytes != rows[i].kib * 1024 || per != rows[i].per)))
            fail_msg("%s", rows[i].text);
    }
}

static void elapsed(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        int64_t ms; /* -1: none */
    } rows[] = {
        {"00:00:00", 0},
        {"01:02:03", 3723000},
        {"2-03:04:05", 183845000},
        {"100:00:00", 360000000},
        {"05:06.250", 306250},
        {"00:00:01.5", 1500},
        {"", -1},
        {"12", -1},
        {"1-", -1},
        {"-01:00:00", -1},
        {"1:2:3:4", -1},
        {"01:02:", -1},
        {"01::03", -1},
        {"1-2-03:04:05", -1},
        {"00:00:-5", -1},
        {"INVALID", -1},
        {"9999999999:00:00", -1},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        orr_time t = -1;
        const bool good = orr_slurm_elapsed(rows[i].text, strlen(rows[i].text), &t);
        if (good != (rows[i].ms >= 0) || (good && t != rows[i].ms * ORR_MS))
            fail_msg("%s", rows[i].text);
    }
}

/* ---- jobs ---- */

#define D "2024-01-10T"
#define HEADER                                                                                                         \
    "JobID|User|Account|Partition|State|Submit|Start|End|ElapsedRaw|TimelimitRaw|NNodes|NCPUS|ReqTRES|"                \
    "AllocTRES|NodeList|ExitCode\n"
#define TRES "cpu=8,gres/gpu=2,mem=64G,node=1"

static void all_columns(void **state)
{
    (void)state;
    static const char *const texts[] = {
        HEADER "100|ann|ml|gpu|COMPLETED|" D "08:00:00|" D "08:05:00|" D "09:05:00|3600|120|2|16|"
               "cpu=8,gres/gpu=4,node=1|billing=99,cpu=16,gres/gpu=8,gres/gpu:a100=8,mem=64G,node=2|node[01-02]|0:0\n",
        /* by sacct -p, in another order and other case, with the windows' line ends */
        "exitcode|alloctres|ReqTRES|timelimit|elapsed|END|START|Submit|STATE|Partition|Account|User|JobID|NNodes|"
        "NodeList|\r\n"
        "0:0|billing=99,cpu=16,gres/gpu=8,gres/gpu:a100=8,mem=64G,node=2|cpu=8,gres/gpu=4,node=1|02:00:00|01:00:00|" D
        "09:05:00|" D "08:05:00|" D "08:00:00|COMPLETED|gpu|ml|ann|100|2|node[01-02]|\r\n",
    };
    for (int i = 0; i < 2; i++) {
        orr_trace *t = reading_well(texts[i], NULL);
        const orr_trace_job *job = orr_trace_jobs(t);
        assert_string_equal(orr_trace_format(t), "slurm");
        assert_string_equal(orr_trace_origin(t), "2024-01-10 08:00:00");
        assert_int_equal(orr_trace_count(t), 1);
        assert_string_equal(job->id, "100");
        assert_string_equal(job->user, "ann");
        assert_string_equal(job->vc, "gpu");
        assert_string_equal(job->gpu_type, "a100");
        assert_int_equal(job->gpus, 8);
        assert_int_equal(job->cpu_milli, 16000);
        assert_int_equal(job->mem_bytes, INT64_C(64) << 30);
        assert_int_equal(job->limit, 120 * ORR_MINUTE);
        assert_int_equal(job->submit, 0);
        assert_int_equal(job->start, 5 * ORR_MINUTE);
        assert_int_equal(job->end, 65 * ORR_MINUTE);
        assert_int_equal(job->duration, ORR_HOUR);
        assert_int_equal(job->ending, ORR_ENDING_DONE);
        assert_string_equal(orr_trace_attribute(t, job, "Account"), "ml");
        assert_string_equal(orr_trace_attribute(t, job, "NodeList"), "node[01-02]");
        assert_string_equal(orr_trace_attribute(t, job, "ExitCode"), "0:0");
        assert_int_equal(t->notes.n, 0);
        orr_trace_destroy(t);
    }
}

static void few_columns(void **state)
{
    (void)state;
    orr_trace *t = reading_well("JobIDRaw|Submit|State|Start|End|AllocGRES|Account|Group|Weird\n"
                                "7|" D "08:00:00|COMPLETED|" D "08:00:10|" D "08:00:17|gpu:4|ml|staff|x\n",
                                NULL);
    const orr_trace_job *job = orr_trace_jobs(t);
    assert_string_equal(job->id, "7");
    assert_string_equal(job->vc, "ml"); /* no partition */
    assert_int_equal(job->gpus, 4);     /* of the whole job */
    assert_int_equal(job->duration, 7 * ORR_SECOND);
    assert_int_equal(job->limit, ORR_TIME_NONE);
    assert_string_equal(orr_trace_attribute(t, job, "unix_group"), "staff");
    assert_string_equal(orr_trace_attribute(t, job, "Weird"), "x");
    assert_int_equal(noted(t, "unknown-column"), 1);
    orr_trace_destroy(t);
}

static void both_ids(void **state)
{
    (void)state;
    orr_trace *t = reading_well("JobIDRaw|JobID|Submit|State|Elapsed|AllocTRES\n"
                                "7|5_2|" D "08:00:00|COMPLETED|00:01:00|gres/gpu=1\n",
                                NULL);
    assert_string_equal(orr_trace_jobs(t)->id, "5_2");
    assert_string_equal(orr_trace_attribute(t, orr_trace_jobs(t), "JobIDRaw"), "7");
    assert_int_equal(orr_trace_jobs(t)->duration, ORR_MINUTE);
    assert_int_equal(orr_trace_jobs(t)->start, ORR_TIME_NONE);
    orr_trace_destroy(t);
}

#define RAN "08:00:10", "08:00:20", "10", "5", TRES, "n1"
#define STEP "08:00:10", "08:00:20", "10", "", TRES, "n1", "job-step", DROPPED, 0, 0, false

/* One row behind a good one: state, start, end, elapsed, limit, AllocTRES, nodes. */
static void rows(void **state)
{
    (void)state;
    enum { GONE = -1, DROPPED = -2 };
    static const struct {
        const char *name, *id, *state, *start, *end, *elapsed, *limit, *alloc, *nodes;
        const char *note;
        int64_t seconds;
        int64_t limit_seconds; /* 0: none */
        orr_ending ending;
        bool censored;
    } cases[] = {
        {"done", "2", "COMPLETED", RAN, NULL, 10, 300, ORR_ENDING_DONE, false},
        {"failed", "2", "FAILED", RAN, NULL, 10, 300, ORR_ENDING_FAILED, false},
        {"out of memory", "2", "OUT_OF_MEMORY", "08:00:10", "08:00:20", "10", "5", TRES, "n1", NULL, 10, 300,
         ORR_ENDING_FAILED, false},
        {"node failure", "2", "NODE_FAIL", RAN, NULL, 10, 300, ORR_ENDING_FAILED, false},
        {"boot failure", "2", "BOOT_FAIL", RAN, NULL, 10, 300, ORR_ENDING_FAILED, false},
        {"timeout", "2", "TIMEOUT", "08:00:10", "08:05:10", "300", "5", TRES, "n1", NULL, 300, 300, ORR_ENDING_KILLED,
         false},
        {"preempted", "2", "PREEMPTED", RAN, NULL, 10, 300, ORR_ENDING_KILLED, false},
        {"deadline", "2", "DEADLINE", RAN, NULL, 10, 300, ORR_ENDING_KILLED, false},
        {"requeued", "2", "REQUEUED", RAN, NULL, 10, 300, ORR_ENDING_KILLED, false},
        {"cancelled while running", "2", "CANCELLED by 1000", "08:00:10", "08:00:20", "10", "5", TRES, "n1", NULL, 10,
         300, ORR_ENDING_KILLED, false},
        {"no limit", "2", "COMPLETED", "08:00:10", "08:00:20", "10", "UNLIMITED", TRES, "n1", NULL, 10, 0,
         ORR_ENDING_DONE, false},
        {"the partition's limit", "2", "COMPLETED", "08:00:10", "08:00:20", "10", "Partition_Limit", TRES, "n1", NULL,
         10, 0, ORR_ENDING_DONE, false},
        {"an odd limit", "2", "COMPLETED", "08:00:10", "08:00:20", "10", "soon", TRES, "n1", "bad-time", DROPPED, 0, 0,
         false},
        {"an unknown state", "2", "TELEPORTED", "08:00:10", "08:00:20", "10", "5", TRES, "n1", "unknown-state", 10, 300,
         ORR_ENDING_DONE, false},
        {"running", "2", "RUNNING", "08:00:10", "Unknown", "77", "5", TRES, "n1", NULL, 77, 300, ORR_ENDING_DONE, true},
        {"suspended", "2", "SUSPENDED", "08:00:10", "Unknown", "77", "5", TRES, "n1", NULL, 77, 300, ORR_ENDING_DONE,
         true},
        {"running, for nobody knows how long", "2", "RUNNING", "08:00:10", "Unknown", "", "5", TRES, "n1",
         "no-duration", DROPPED, 0, 0, false},
        {"pending", "2", "PENDING", "Unknown", "Unknown", "0", "5", "", "None assigned", "never-ran", GONE, 300, 0,
         false},
        {"a pending array", "2_[5-9%2]", "PENDING", "Unknown", "Unknown", "0", "5", "", "", "never-ran", GONE, 300, 0,
         false},
        {"cancelled in the queue", "2", "CANCELLED by 1000", "None", "08:00:09", "0", "5", "", "None assigned",
         "never-ran", GONE, 300, 0, false},
        {"cancelled in the queue, start unknown", "2", "CANCELLED", "Unknown", "08:00:09", "", "5", "", "", "never-ran",
         GONE, 300, 0, false},
        {"cancelled in the queue, by an old version", "2", "CANCELLED", "08:00:09", "08:00:09", "0", "5", "",
         "None assigned", "never-ran", GONE, 300, 0, false},
        {"revoked", "2", "REVOKED", "Unknown", "08:00:09", "0", "5", "", "", "never-ran", GONE, 300, 0, false},
        {"done in no time", "2", "COMPLETED", "08:00:09", "08:00:09", "0", "5", TRES, "n1", NULL, 0, 300,
         ORR_ENDING_DONE, false},
        {"done, and nobody knows when", "2", "COMPLETED", "Unknown", "Unknown", "", "5", TRES, "n1", "no-duration",
         DROPPED, 0, 0, false},
        {"suspended in between", "2", "COMPLETED", "08:00:10", "08:00:30", "15", "5", TRES, "n1", "elapsed-differs", 15,
         300, ORR_ENDING_DONE, false},
        {"over the end of summer time", "2", "COMPLETED", "08:50:00", "08:10:00", "1200", "5", TRES, "n1",
         "elapsed-differs", 1200, 300, ORR_ENDING_DONE, false},
        {"the same without elapsed", "2", "COMPLETED", "08:50:00", "08:10:00", "", "5", TRES, "n1", "end-before-start",
         DROPPED, 0, 0, false},
        {"started before submitted", "2", "COMPLETED", "07:50:00", "07:50:01", "1", "5", TRES, "n1",
         "start-before-submit", 1, 300, ORR_ENDING_DONE, false},
        {"a step", "1.batch", "COMPLETED", STEP},
        {"a step of an array", "1_4.extern", "COMPLETED", STEP},
        {"a numbered step", "1.0", "COMPLETED", STEP},
        {"a task of an array", "2_4", "COMPLETED", "08:00:10", "08:00:20", "10", "5", TRES, "n1", NULL, 10, 300,
         ORR_ENDING_DONE, false},
        {"a part of a heterogeneous job", "2+1", "COMPLETED", "08:00:10", "08:00:20", "10", "5", TRES, "n1",
         "het-component", 10, 300, ORR_ENDING_DONE, false},
        {"no GPUs", "2", "COMPLETED", "08:00:10", "08:00:20", "10", "5", "cpu=8,node=1", "n1", NULL, 10, 300,
         ORR_ENDING_DONE, false}, /* sized by what it asked for */
        {"a bad count", "2", "COMPLETED", "08:00:10", "08:00:20", "10", "5", "gres/gpu=x", "n1", "bad-number", DROPPED,
         0, 0, false},
        {"a name with a bar in it", "2", "COMPLETED", "08:00:10", "08:00:20", "10", "5|5", TRES, "n1", "ragged-row",
         DROPPED, 0, 0, false},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        orr_text text = {0};
        const bool s = strlen(cases[i].start) == 8, e = strlen(cases[i].end) == 8;
        orr_text_addf(&text,
                      HEADER "1|u|a|p|COMPLETED|" D "08:00:00|" D "08:00:00|" D "08:00:01|1|1|1|8|" TRES "|" TRES
                             "|n1|0:0\n%s|u|a|p|%s|" D "08:00:00|%s%s|%s%s|%s|%s|1|8|" TRES "|%s|%s|0:0\n",
                      cases[i].id, cases[i].state, s ? D : "", cases[i].start, e ? D : "", cases[i].end,
                      cases[i].elapsed, cases[i].limit, cases[i].alloc, cases[i].nodes);
        orr_trace *t = reading_well(text.at, NULL);
        const orr_trace_job *job = &orr_trace_jobs(t)[1], *gone = NULL;
        const int64_t seconds = cases[i].seconds;
        bool right = orr_trace_count(t) == (seconds < 0 ? 1u : 2u) &&
                     orr_trace_withdrawn(t, &gone) == (seconds == GONE ? 1u : 0u) &&
                     (cases[i].note ? noted(t, cases[i].note) == 1 && t->notes.n == 1 : t->notes.n == 0);
        if (right && seconds == GONE)
            job = gone;
        if (right && seconds != DROPPED)
            right = job->gpus == 2 && job->cpu_milli == 8000 && strcmp(job->id, cases[i].id) == 0 &&
                    job->limit == (cases[i].limit_seconds ? cases[i].limit_seconds * ORR_SECOND : ORR_TIME_NONE);
        if (right && seconds == GONE)
            right = job->start == ORR_TIME_NONE && job->end == (e ? 9 * ORR_SECOND : ORR_TIME_NONE);
        if (right && seconds >= 0)
            right = job->duration == seconds * ORR_SECOND && job->ending == cases[i].ending &&
                    job->censored == cases[i].censored && (job->end == ORR_TIME_NONE) == cases[i].censored;
        if (!right)
            fail_msg("%s", cases[i].name);
        orr_trace_destroy(t);
        orr_text_fini(&text);
    }
}

static void size_of_host_memory(void **state)
{
    (void)state;
    static const struct {
        const char *mem, *alloc;
        int64_t gib;
    } cases[] = {
        {"4Gc", "cpu=8,gres/gpu=1,node=2", 32},
        {"16Gn", "cpu=8,gres/gpu=1,node=2", 32},
        {"0n", "gres/gpu=1,node=2", 0},
        {"64G", "cpu=8,gres/gpu=1,node=2", 64},
        {"4Gc", "cpu=8,gres/gpu=1,mem=48G", 48},
        {"?", "cpu=8,gres/gpu=1", 0},
        {"", "gres/gpu=1", 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        orr_text text = {0};
        orr_text_addf(&text, "JobID|Submit|State|Elapsed|ReqMem|AllocTRES\n1|" D "08:00:00|COMPLETED|00:01:00|%s|%s\n",
                      cases[i].mem, cases[i].alloc);
        orr_trace *t = reading_well(text.at, NULL);
        if (orr_trace_jobs(t)->mem_bytes != cases[i].gib << 30)
            fail_msg("%s", cases[i].mem);
        orr_trace_destroy(t);
        orr_text_fini(&text);
    }
}

static void cpu_jobs(void **state)
{
    (void)state;
    const char *text = "JobID|Submit|State|Elapsed|NCPUS|AllocTRES\n1|" D "08:00:00|COMPLETED|00:01:00|4|cpu=4\n"
                       "2|" D "08:00:00|COMPLETED|00:01:00|4|cpu=4,gres/gpu=1\n";
    const orr_trace_options keep = {.keep_cpu_jobs = true};
    orr_trace *t = reading_well(text, NULL);
    assert_int_equal(orr_trace_count(t), 1);
    assert_int_equal(noted(t, "cpu-only"), 1);
    orr_trace_destroy(t);
    t = reading_well(text, &keep);
    assert_int_equal(orr_trace_count(t), 2);
    assert_int_equal(orr_trace_jobs(t)[0].gpus, 0);
    assert_int_equal(orr_trace_jobs(t)[0].cpu_milli, 4000);
    orr_trace_destroy(t);
}

/* ---- several rows of a job ---- */

#define RUNS "JobID|User|JobName|State|Submit|Start|End|ElapsedRaw|AllocTRES\n"
#define RUN(id, user, state, submit, start, end, elapsed)                                                              \
    id "|" user "|train|" state "|" D submit "|" D start "|" D end "|" elapsed "|gres/gpu=2\n"
/*  0 s submitted, 10..30 node failure, again in the queue, 100..105 preempted, again, 200..240 done */
#define FIRST RUN("5", "u", "NODE_FAIL", "08:00:00", "08:00:10", "08:00:30", "20")
#define SECOND RUN("5", "u", "PREEMPTED", "08:00:30", "08:01:40", "08:01:45", "5")
#define THIRD RUN("5", "u", "COMPLETED", "08:01:45", "08:03:20", "08:04:00", "40")

static void requeues_are_attempts_in_any_order(void **state)
{
    (void)state;
    static const char *const texts[] = {
        RUNS FIRST SECOND THIRD,
        RUNS FIRST THIRD SECOND,
        RUNS SECOND FIRST THIRD,
        RUNS SECOND THIRD FIRST,
        RUNS THIRD FIRST SECOND,
        RUNS THIRD SECOND FIRST,
        RUNS FIRST SECOND FIRST THIRD SECOND THIRD, /* exports that overlap */
    };
    static const orr_time attempts[] = {20, 5, 40}, starts[] = {10, 100, 200};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        for (int replay = 0; replay < 2; replay++) {
            const orr_trace_options options = {.replay_attempts = replay, .strict = true};
            orr_trace *t = reading_well(texts[i], &options);
            const orr_trace_job *job = orr_trace_jobs(t);
            assert_int_equal(orr_trace_count(t), 1);
            assert_int_equal(noted(t, "merged-row"), orr_trace_rows_read(t) - 1);
            assert_int_equal(t->notes.n, 1);
            assert_int_equal(job->submit, 0);
            assert_int_equal(job->start, 10 * ORR_SECOND);
            assert_int_equal(job->end, 240 * ORR_SECOND);
            assert_int_equal(job->duration, 65 * ORR_SECOND);
            assert_int_equal(job->ending, ORR_ENDING_DONE);
            assert_false(job->censored);
            assert_int_equal(job->attempt_count, replay ? 3 : 1);
            for (int n = 0; replay && n < 3; n++) {
                assert_int_equal(job->attempts[n], attempts[n] * ORR_SECOND);
                assert_int_equal(job->starts[n], starts[n] * ORR_SECOND);
            }
            orr_trace_destroy(t);
        }
}

#define RUNNING(start, elapsed) "5|u|train|RUNNING|" D "08:01:45|" D start "|Unknown|" elapsed "|gres/gpu=2\n"

static void a_run_told_again_is_the_same_run(void **state)
{
    (void)state;
    static const struct {
        const char *name, *text;
        int64_t seconds;
        uint32_t attempts;
        bool censored;
    } cases[] = {
        {"then and later", RUNS RUNNING("08:03:20", "7") THIRD, 40, 1, false},
        {"later, and then", RUNS THIRD RUNNING("08:03:20", "7"), 40, 1, false},
        {"a second run, then and later", RUNS FIRST RUNNING("08:03:20", "7") THIRD, 60, 2, false},
        {"still running", RUNS FIRST RUNNING("08:03:20", "7") RUNNING("08:03:20", "9"), 29, 2, true},
        {"still running, older news last", RUNS FIRST RUNNING("08:03:20", "9") RUNNING("08:03:20", "7"), 29, 2, true},
    };
    const orr_trace_options options = {.replay_attempts = true};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        orr_trace *t = reading_well(cases[i].text, &options);
        const orr_trace_job *job = orr_trace_jobs(t);
        if (orr_trace_count(t) != 1 || job->duration != cases[i].seconds * ORR_SECOND ||
            job->attempt_count != cases[i].attempts || job->censored != cases[i].censored ||
            (job->end == ORR_TIME_NONE) != cases[i].censored)
            fail_msg("%s", cases[i].name);
        orr_trace_destroy(t);
    }
}

#define WAITING "5|u|train|PENDING|" D "08:00:30|Unknown|Unknown|0|\n"
#define WITHDRAWN "5|u|train|CANCELLED by 7|" D "08:00:30|None|" D "08:00:40|0|\n"

static void requeued_and_not_run_again(void **state)
{
    (void)state;
    const orr_trace_job *gone;
    orr_trace *t = reading_well(RUNS FIRST WAITING, NULL);
    assert_int_equal(orr_trace_count(t), 1);
    assert_true(orr_trace_jobs(t)->censored);
    assert_int_equal(orr_trace_jobs(t)->duration, 20 * ORR_SECOND);
    orr_trace_destroy(t);
    t = reading_well(RUNS FIRST WITHDRAWN, NULL);
    assert_int_equal(orr_trace_jobs(t)->ending, ORR_ENDING_KILLED);
    assert_false(orr_trace_jobs(t)->censored);
    assert_int_equal(noted(t, "merged-row"), 1);
    orr_trace_destroy(t);
    t = reading_well(RUNS WAITING SECOND, NULL); /* it waited in an older export */
    assert_int_equal(orr_trace_count(t), 1);
    assert_int_equal(noted(t, "never-ran"), 1);
    assert_int_equal(orr_trace_withdrawn(t, &gone), 0);
    orr_trace_destroy(t);
}

static void ids_that_were_used_again(void **state)
{
    (void)state;
    orr_error e;
    const orr_trace_options strict = {.strict = true};
    const char *text = RUNS FIRST RUN("5", "v", "COMPLETED", "09:00:00", "09:00:00", "09:01:00", "60");
    orr_trace *t = reading_well(text, NULL);
    assert_int_equal(orr_trace_count(t), 2);
    assert_string_equal(orr_trace_jobs(t)[1].id, "5#2");
    assert_string_equal(orr_trace_jobs(t)[1].user, "v");
    assert_int_equal(noted(t, "duplicate-id"), 1);
    orr_trace_destroy(t);
    assert_null(reading(text, &strict, &e));
    assert_int_equal(e.code, ORR_E_DUPLICATE_ID);
    t = reading_well("JobID|Cluster|Submit|State|Elapsed|AllocTRES\n5|a|" D "08:00:00|COMPLETED|00:01:00|gres/gpu=1\n"
                     "5|b|" D "08:00:00|COMPLETED|00:01:00|gres/gpu=1\n",
                     NULL);
    assert_int_equal(orr_trace_count(t), 2);
    orr_trace_destroy(t);
}

static void runs_that_contradict(void **state)
{
    (void)state;
    orr_trace *t = reading_well(RUNS FIRST RUN("5", "u", "FAILED", "08:00:05", "08:00:20", "08:00:40", "20"), NULL);
    assert_int_equal(noted(t, "attempts-overlap"), 1);
    assert_int_equal(orr_trace_jobs(t)->duration, 40 * ORR_SECOND);
    assert_int_equal(orr_trace_jobs(t)->ending, ORR_ENDING_FAILED);
    orr_trace_destroy(t);
    t = reading_well(RUNS FIRST "5|u|train|COMPLETED|" D "08:00:30|" D "08:00:50|" D "08:01:00|10|gres/gpu=3\n", NULL);
    assert_int_equal(noted(t, "gpus-differ"), 1);
    assert_int_equal(orr_trace_jobs(t)->gpus, 2);
    orr_trace_destroy(t);
}

/* ---- whole files ---- */

static void refusals(void **state)
{
    (void)state;
    static const struct {
        const char *text, *words;
        orr_err code;
    } cases[] = {
        {"State|Submit|AllocTRES\nCOMPLETED|x|gres/gpu=1\n", "JobID", ORR_E_MISSING_COLUMN},
        {"JobID|State|AllocTRES\n1|COMPLETED|gres/gpu=1\n", "Submit", ORR_E_MISSING_COLUMN},
        {"JobID|State|Submit|Elapsed\n1|COMPLETED|" D "08:00:00|00:01:00\n", "GPUs", ORR_E_MISSING_COLUMN},
        {"JobID|State|Submit|Elapsed|AllocTRES\n", "no rows", ORR_E_NO_JOBS},
    };
    orr_error e;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_null(reading(cases[i].text, NULL, &e));
        if (e.code != cases[i].code || !strstr(e.message, cases[i].words))
            fail_msg("case %zu: %s", i, e.message);
    }
}

static void ragged_rows_come_with_a_reason(void **state)
{
    (void)state;
    orr_trace *t = reading_well("JobID|JobName|State|Submit|Elapsed|AllocTRES\n"
                                "1|a|COMPLETED|" D "08:00:00|00:01:00|gres/gpu=1\n"
                                "2|a|b|COMPLETED|" D "08:00:00|00:01:00|gres/gpu=1\n",
                                NULL);
    assert_int_equal(noted(t, "ragged-row"), 1);
    assert_non_null(strstr(t->notes.at[0].detail, "bar"));
    orr_trace_destroy(t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(resources),
        cmocka_unit_test(generic_resources),
        cmocka_unit_test(memory),
        cmocka_unit_test(elapsed),
        cmocka_unit_test(all_columns),
        cmocka_unit_test(few_columns),
        cmocka_unit_test(both_ids),
        cmocka_unit_test(rows),
        cmocka_unit_test(size_of_host_memory),
        cmocka_unit_test(cpu_jobs),
        cmocka_unit_test(requeues_are_attempts_in_any_order),
        cmocka_unit_test(a_run_told_again_is_the_same_run),
        cmocka_unit_test(requeued_and_not_run_again),
        cmocka_unit_test(ids_that_were_used_again),
        cmocka_unit_test(runs_that_contradict),
        cmocka_unit_test(refusals),
        cmocka_unit_test(ragged_rows_come_with_a_reason),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
