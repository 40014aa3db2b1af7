/* Logs as files: every kind of record comes back as it went, frames stand alone, and what is cut, damaged, foreign or
 * of a later version says so and where. */
#include "log/log.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#define S ORR_SECOND

static const orr_log_nodes nodes[] = {
    {.count = 3, .gpus = 8, .cpus = 96, .mem = (int64_t)1 << 40, .gpu_mem = 16, .type = "V100", .vc = "red", .rack = "r1", .name = ""},
    {.count = 1, .gpus = 64, .type = "", .vc = "", .rack = "", .name = "big one"},
};

static orr_log_header some_header(void)
{
    return (orr_log_header){.program = "orrery 9",
                            .trace = "t.csv",
                            .trace_digest = "ab",
                            .cluster = "c",
                            .cluster_digest = "",
                            .policy = "fifo",
                            .policy_resolved = "fifo,hol=block",
                            .costs = "zero",
                            .clock = "exact",
                            .measure = "all",
                            .model = "scenario",
                            .profiles = "p.yaml",
                            .profiles_digest = "cd",
                            .throughputs = "t.csv",
                            .throughputs_digest = "ef",
                            .applications = "apps.yaml",
                            .applications_digest = "0a",
                            .interference = "pairs,unknown=1",
                            .net = "",
                            .scenario = "",
                            .scenario_digest = "",
                            .seed = UINT64_MAX,
                            .jobs = 5,
                            .first_asked = -S,
                            .last_asked = 7,
                            .one_pool = true,
                            .nodes = nodes,
                            .node_runs = 2};
}

static orr_log_request some_request(void)
{
    static const orr_time attempts[] = {S, 2 * S + 1};
    static const uint32_t after[] = {3, 0};
    return (orr_log_request){.id = "job-1",
                             .user = "ann",
                             .vc = "red",
                             .name = "n",
                             .model = "bert",
                             .types = "V100|A100",
                             .pool = -1,
                             .gpus = 4,
                             .min_gpus = 2,
                             .max_gpus = 8,
                             .milli = 500,
                             .cpu_milli = 2500,
                             .mem = (int64_t)1 << 40,
                             .gpu_mem = 7,
                             .asked = 3,
                             .duration = 3 * S + 1,
                             .deadline = ORR_DAY,
                             .ran = 5 * S,
                             .think = 7,
                             .attempts = attempts,
                             .attempt_count = 2,
                             .after = after,
                             .after_count = 2,
                             .ending = ORR_LOG_KILLED,
                             .pinned = true,
                             .censored = true,
                             .carried = true};
}

static orr_log_request plain_request(void)
{
    return (orr_log_request){.id = "p",
                             .user = "",
                             .vc = "",
                             .name = "",
                             .model = "",
                             .types = "",
                             .gpus = 1,
                             .min_gpus = 1,
                             .max_gpus = 1,
                                                 .asked = 2 * S,
                             .duration = S,
                             .deadline = ORR_TIME_NONE,
                             .ran = ORR_TIME_NONE,
                             .attempt_count = 1};
}

static const orr_log_slice slices[] = {{.node = 3, .milli = 1000, .gpus = UINT64_MAX}, {.node = 0, .milli = 1000, .gpus = 5}};
static const orr_log_slice parts[] = {{.node = 3, .milli = 250, .gpus = 3, .cpu_milli = 1, .mem = (int64_t)1 << 33},
                                      {.node = 0, .milli = 1000, .gpus = 5},
                                      {.node = 2, .milli = 1000, .gpus = 0, .cpu_milli = 500}};

/* One of each kind, with and without what is optional. */
static size_t some_records(orr_log_record *out, const orr_log_request *full, const orr_log_request *plain)
{
    const orr_log_record list[] = {
        {.kind = ORR_LOG_SUBMIT, .at = -S, .job = 4, .request = full},
        {.kind = ORR_LOG_SUBMIT, .at = 2 * S, .job = 1, .request = plain},
        {.kind = ORR_LOG_REJECT, .at = 2 * S, .job = 2, .reason = "too-wide"},
        {.kind = ORR_LOG_DECIDE, .at = 2 * S, .number = 77},
        {.kind = ORR_LOG_START,
         .at = 2 * S,
         .job = 4,
         .from = 2 * S,
         .rate = 1,
         .slices = slices,
         .slice_count = 1},
        {.kind = ORR_LOG_RESIZE,
         .at = 3 * S,
         .job = 4,
         .from = 4 * S,
         .pay = 1,
         .rate = 1.25,
         .slices = slices,
         .slice_count = 2},
        {.kind = ORR_LOG_MIGRATE,
         .at = 3 * S,
         .job = 4,
         .from = 3 * S,
         .pay = S,
         .rate = 1,
         .resumed = true,
         .slices = slices,
         .slice_count = 2},
        {.kind = ORR_LOG_RESHARE,
         .at = 3 * S,
         .job = 4,
         .from = 3 * S,
         .pay = 1,
         .rate = 0,
         .slices = parts,
         .slice_count = 3},
        {.kind = ORR_LOG_SPEED, .at = 4 * S, .job = 4, .rate = 0.3},
        {.kind = ORR_LOG_NODE, .at = 4 * S, .node = 3, .state = "down"},
        {.kind = ORR_LOG_INTERRUPT, .at = 4 * S, .job = 1, .node = 3, .lost = 11},
        {.kind = ORR_LOG_NODE, .at = 4 * S, .node = 3, .state = "up", .up = UINT64_MAX, .takes = true},
        {.kind = ORR_LOG_PREEMPT, .at = 5 * S, .job = 4, .until = 6 * S, .lost = 9},
        {.kind = ORR_LOG_SAVED, .at = 6 * S, .job = 4},
        {.kind = ORR_LOG_RETRY, .at = 6 * S, .job = UINT32_MAX},
        {.kind = ORR_LOG_FINISH, .at = 7 * S, .job = 0, .ending = ORR_LOG_FAILED, .reason = ""},
        {.kind = ORR_LOG_FINISH, .at = 7 * S, .job = 4, .ending = ORR_LOG_KILLED, .reason = "why not"},
        {.kind = ORR_LOG_STOP,
         .at = ORR_TIME_MAX - S,
         .stop = ORR_LOG_ERROR,
         .counts = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, UINT64_MAX}},
    };
    memcpy(out, list, sizeof list);
    for (size_t i = 0; i < sizeof list / sizeof *list; i++)
        out[i].reason = out[i].reason ? out[i].reason : "", out[i].state = out[i].state ? out[i].state : "";
    return sizeof list / sizeof *list;
}

static orr_text written(const orr_log_record *records, size_t n)
{
    const orr_log_header header = some_header();
    orr_log_writer *w = orr_log_writer_create(NULL, NULL);
    orr_log_write_header(w, &header);
    for (size_t i = 0; i < n; i++)
        orr_log_write(w, &records[i]);
    const uint64_t bytes = orr_log_writer_bytes(w);
    orr_text t = orr_log_writer_take(w);
    assert_true(bytes <= t.n);
    return t;
}

static void same_request(const orr_log_request *a, const orr_log_request *b)
{
    assert_string_equal(a->id, b->id);
    assert_string_equal(a->user, b->user);
    assert_string_equal(a->vc, b->vc);
    assert_string_equal(a->name, b->name);
    assert_string_equal(a->model, b->model);
    assert_string_equal(a->types, b->types);
    assert_true(a->pool == b->pool && a->gpus == b->gpus && a->min_gpus == b->min_gpus && a->max_gpus == b->max_gpus);
    assert_true(a->milli == b->milli && a->cpu_milli == b->cpu_milli && a->mem == b->mem && a->gpu_mem == b->gpu_mem);
    assert_true(a->asked == b->asked && a->duration == b->duration && a->deadline == b->deadline && a->ran == b->ran && a->think == b->think);
    assert_true(a->attempt_count == b->attempt_count && a->after_count == b->after_count && a->ending == b->ending);
    assert_true(a->pinned == b->pinned && a->censored == b->censored && a->carried == b->carried);
    assert_true((a->attempts == NULL) == (b->attempts == NULL));
    for (uint32_t i = 0; a->attempts && i < a->attempt_count; i++)
        assert_true(a->attempts[i] == b->attempts[i]);
    for (uint32_t i = 0; i < a->after_count; i++)
        assert_int_equal(a->after[i], b->after[i]);
}

static void same_record(const orr_log_record *a, const orr_log_record *b)
{
    assert_int_equal(a->kind, b->kind);
    assert_true(a->at == b->at && a->job == b->job && a->from == b->from && a->pay == b->pay && a->rate == b->rate);
    assert_true(a->node == b->node && a->up == b->up && a->takes == b->takes);
    assert_string_equal(a->state, b->state);
    assert_true(a->resumed == b->resumed && a->slice_count == b->slice_count);
    assert_true(a->until == b->until && a->lost == b->lost && a->ending == b->ending && a->number == b->number);
    assert_string_equal(a->reason, b->reason);
    assert_int_equal(a->stop, b->stop);
    assert_memory_equal(&a->counts, &b->counts, sizeof a->counts);
    for (int32_t i = 0; i < a->slice_count; i++)
        assert_true(a->slices[i].node == b->slices[i].node && a->slices[i].gpus == b->slices[i].gpus &&
                    a->slices[i].milli == b->slices[i].milli && a->slices[i].cpu_milli == b->slices[i].cpu_milli &&
                    a->slices[i].mem == b->slices[i].mem);
    assert_true((a->request == NULL) == (b->request == NULL));
    if (a->request)
        same_request(a->request, b->request);
}

static void records_come_back(void **state)
{
    (void)state;
    const orr_log_request full = some_request(), plain = plain_request();
    orr_log_record records[24];
    const size_t n = some_records(records, &full, &plain);
    orr_error e = {0};
    orr_text t = written(records, n);
    orr_log *log = orr_log_memory("log", t.at, t.n, &e);
    const orr_log_record *r;
    for (size_t i = 0; i < n; i++) {
        assert_int_equal(orr_log_next(log, &r, &e), ORR_OK);
        assert_non_null(r);
        same_record(r, &records[i]);
    }
    assert_int_equal(orr_log_next(log, &r, &e), ORR_OK);
    assert_null(r);
    assert_int_equal(orr_log_next(log, &r, &e), ORR_OK); /* and again */
    assert_null(r);
    assert_int_equal(orr_log_records(log), n);
    assert_int_equal(orr_log_offset(log), t.n);
    assert_false(orr_log_is_cut(log));
    orr_log_close(log);
    orr_text_fini(&t);
}

static void the_header_comes_back(void **state)
{
    (void)state;
    orr_error e = {0};
    orr_text t = written(NULL, 0);
    orr_log *log = orr_log_memory("log", t.at, t.n, &e);
    const orr_log_header *h = orr_log_header_of(log), w = some_header();
    assert_string_equal(h->program, w.program);
    assert_string_equal(h->trace, w.trace);
    assert_string_equal(h->trace_digest, w.trace_digest);
    assert_string_equal(h->cluster, w.cluster);
    assert_string_equal(h->policy_resolved, w.policy_resolved);
    assert_string_equal(h->costs, w.costs);
    assert_string_equal(h->measure, w.measure);
    assert_string_equal(h->model, w.model);
    assert_string_equal(h->profiles, w.profiles);
    assert_string_equal(h->profiles_digest, w.profiles_digest);
    assert_string_equal(h->throughputs, w.throughputs);
    assert_string_equal(h->throughputs_digest, w.throughputs_digest);
    assert_string_equal(h->applications, w.applications);
    assert_string_equal(h->applications_digest, w.applications_digest);
    assert_string_equal(h->interference, w.interference);
    assert_string_equal(h->net, "");
    assert_int_equal(h->nodes[0].gpu_mem, 16);
    assert_true(h->seed == w.seed && h->jobs == 5 && h->first_asked == -S && h->last_asked == 7);
    assert_true(h->one_pool && !h->borrows);
    assert_int_equal(h->node_runs, 2);
    assert_int_equal(orr_log_node_count(h), 4);
    assert_true(h->nodes[0].count == 3 && h->nodes[0].cpus == 96 && h->nodes[0].mem == (int64_t)1 << 40);
    assert_string_equal(h->nodes[1].name, "big one");
    assert_string_equal(h->nodes[0].rack, "r1");
    orr_log_close(log);
    orr_text_fini(&t);
}

/* Many frames; each counts from zero again, so that a copy without some in the middle can be read. */
static void frames_stand_alone(void **state)
{
    (void)state;
    enum { MANY = 100000 };
    orr_log_record *records = orr_xcalloc(MANY, sizeof *records);
    uint64_t state_ = 7;
    for (uint32_t i = 0; i < MANY; i++) {
        state_ = state_ * 6364136223846793005u + 1442695040888963407u;
        records[i] = (orr_log_record){.kind = ORR_LOG_PREEMPT,
                                      .at = (orr_time)i * S,
                                      .job = (uint32_t)(state_ >> 44),
                                      .until = (orr_time)i * S + (orr_time)(state_ >> 20 & 0xffffff),
                                      .reason = "",
                                      .state = ""};
    }
    orr_text t = written(records, MANY);
    orr_error e = {0};
    const orr_log_record *r;
    orr_log *log = orr_log_memory("log", t.at, t.n, &e);
    uint64_t ends[16] = {orr_log_offset(log)};
    size_t frames = 0;
    for (uint32_t i = 0; i < MANY; i++) {
        assert_int_equal(orr_log_next(log, &r, &e), ORR_OK);
        same_record(r, &records[i]);
        if (orr_log_offset(log) != ends[frames])
            ends[++frames] = orr_log_offset(log);
    }
    assert_in_range(frames, 3, 15);
    orr_log_close(log);
    orr_text less = {0};
    orr_text_add(&less, t.at, ends[0]);
    orr_text_add(&less, t.at + ends[1], t.n - ends[1]);
    log = orr_log_memory("less", less.at, less.n, &e);
    assert_int_equal(orr_log_next(log, &r, &e), ORR_OK);
    same_record(r, &records[r->at / S]);
    assert_true(r->at > 0);
    orr_log_close(log);
    orr_text_fini(&less);
    orr_text_fini(&t);
    free(records);
}

static orr_err read_all(orr_log *log, size_t *n, orr_error *e)
{
    orr_err err;
    const orr_log_record *r = NULL;
    *n = 0;
    while (!(err = orr_log_next(log, &r, e)) && r)
        ++*n;
    return err;
}

static void a_cut_log_is_readable_up_to_the_cut(void **state)
{
    (void)state;
    const orr_log_request full = some_request(), plain = plain_request();
    orr_log_record records[24];
    orr_text t = written(records, some_records(records, &full, &plain));
    size_t n, opened = 0;
    for (size_t cut = 0; cut < t.n; cut++) {
        orr_error e = {0};
        orr_log *log = orr_log_memory("log", t.at, cut, &e);
        if (!log) {
            assert_int_equal(e.code, cut < 8 ? ORR_E_FORMAT : ORR_E_TRUNCATED);
            continue;
        }
        opened++;
        assert_int_equal(read_all(log, &n, &e), ORR_E_TRUNCATED);
        assert_int_equal(n, 0);
        assert_true(orr_log_is_cut(log));
        assert_non_null(strstr(e.message, "cut"));
        orr_log_close(log);
    }
    assert_true(opened > 20);
    /* without its last record it is cut, too, and all before is there */
    orr_text less = written(records, 17);
    orr_error e = {0};
    orr_log *log = orr_log_memory("log", less.at, less.n, &e);
    assert_int_equal(read_all(log, &n, &e), ORR_E_TRUNCATED);
    assert_int_equal(n, 17);
    assert_true(orr_log_is_cut(log));
    assert_int_equal(read_all(log, &n, &e), ORR_E_TRUNCATED); /* and again */
    orr_log_close(log);
    orr_text_fini(&less);
    orr_text_fini(&t);
}

static void damage_is_told_with_its_place(void **state)
{
    (void)state;
    const orr_log_request full = some_request(), plain = plain_request();
    orr_log_record records[24];
    orr_text t = written(records, some_records(records, &full, &plain));
    orr_error e = {0};
    size_t n;
    orr_log *log = orr_log_memory("x.orrlog", t.at, t.n, &e);
    const uint64_t first = orr_log_offset(log);
    char place[64];
    orr_log_close(log);
    t.at[t.n - 1] ^= 1;
    log = orr_log_memory("x.orrlog", t.at, t.n, &e);
    assert_int_equal(read_all(log, &n, &e), ORR_E_TRUNCATED);
    assert_false(orr_log_is_cut(log));
    snprintf(place, sizeof place, "x.orrlog:%llu", (unsigned long long)first);
    assert_string_equal(e.file, place);
    assert_non_null(strstr(e.message, "damaged"));
    orr_log_close(log);
    orr_text_fini(&t);
}

static void what_follows_the_end_is_refused(void **state)
{
    (void)state;
    const orr_log_request full = some_request(), plain = plain_request();
    orr_log_record records[24];
    orr_text t = written(records, some_records(records, &full, &plain));
    orr_error e = {0};
    size_t n;
    orr_text_add(&t, "x", 1);
    orr_log *log = orr_log_memory("log", t.at, t.n, &e);
    assert_int_equal(read_all(log, &n, &e), ORR_E_TRUNCATED);
    assert_false(orr_log_is_cut(log));
    orr_log_close(log);
    orr_text_fini(&t);
}

static void others_are_refused(void **state)
{
    (void)state;
    orr_text t = written(NULL, 0);
    orr_error e = {0};
    assert_null(orr_log_memory("a", "job_id,submit\n", 14, &e));
    assert_int_equal(e.code, ORR_E_FORMAT);
    e = (orr_error){0};
    assert_null(orr_log_memory("b", "", 0, &e));
    assert_int_equal(e.code, ORR_E_FORMAT);
    e = (orr_error){0};
    t.at[8] = ORR_LOG_VERSION + 1;
    assert_null(orr_log_memory("c", t.at, t.n, &e));
    assert_int_equal(e.code, ORR_E_VERSION);
    assert_int_equal(orr_err_exit_status(e.code), 2);
    e = (orr_error){0};
    assert_null(orr_log_open("/no/such/file", &e));
    assert_int_equal(e.code, ORR_E_OPEN);
    orr_text_fini(&t);
}

/* A log of version 1: whole cores, and counts that it doesn't have are 0. */
static void the_version_before_is_read(void **state)
{
    (void)state;
    orr_error e = {0};
    const orr_log_record *r;
    size_t grants = 0, submitted = 0;
    orr_log *log = orr_log_open(ORR_SOURCE_DIR "/tests/log/version1.orrlog", &e);
    assert_non_null(log);
    assert_string_equal(orr_log_header_of(log)->model, "linear");
    assert_int_equal(orr_log_header_of(log)->nodes[0].mem, INT64_C(64) << 30);
    assert_int_equal(orr_log_header_of(log)->tenant_count, 0);
    while (orr_log_next(log, &r, &e) == ORR_OK && r) {
        if (orr_log_is_grant(r->kind)) {
            assert_int_equal(r->slices[0].milli, 1000);
            grants++;
        }
        if (r->kind == ORR_LOG_SUBMIT && strcmp(r->request->id, "a") == 0)
            assert_int_equal(r->request->cpu_milli, 3000);
        submitted += r->kind == ORR_LOG_SUBMIT;
        if (r->kind == ORR_LOG_STOP)
            assert_true(r->counts.done == 3 && r->counts.instants > 0 && r->counts.speed_changes == 0);
    }
    assert_int_equal(e.code, ORR_OK);
    assert_int_equal(submitted, 3);
    assert_true(grants >= 3);
    orr_log_close(log);
}

/* A length that is a lie costs no memory and is told. */
static void lies_about_sizes_are_told(void **state)
{
    (void)state;
    orr_text t = written(NULL, 0);
    orr_error e = {0};
    memcpy(t.at + 12, "\xff\xff\xff\x00\xff\xff\xff\x00", 8);
    assert_null(orr_log_memory("log", t.at, t.n, &e));
    assert_int_equal(e.code, ORR_E_TRUNCATED);
    e = (orr_error){0};
    memcpy(t.at + 12, "\x10\x00\x00\x00\xff\xff\xff\xff", 8);
    assert_null(orr_log_memory("log", t.at, t.n, &e));
    assert_int_equal(e.code, ORR_E_TRUNCATED);
    orr_text_fini(&t);
}

static void places_are_told_by_name(void **state)
{
    (void)state;
    const orr_log_header header = some_header();
    const orr_log_record r = {
        .kind = ORR_LOG_START, .slices = (const orr_log_slice[]){{.node = 1, .milli = 1000, .gpus = 0x2f}, {.node = 3, .milli = 1, .gpus = 3}},
        .slice_count = 2};
    orr_text t = {0};
    orr_log_slices_text(&header, &r, &t);
    assert_string_equal(t.at, "node1:0-3+5;big one:0-1@1");
    assert_int_equal(orr_log_gpus(&r), 7);
    assert_int_equal(orr_log_milli(&r), 5002);
    orr_text_fini(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(records_come_back),
        cmocka_unit_test(the_header_comes_back),
        cmocka_unit_test(frames_stand_alone),
        cmocka_unit_test(a_cut_log_is_readable_up_to_the_cut),
        cmocka_unit_test(damage_is_told_with_its_place),
        cmocka_unit_test(what_follows_the_end_is_refused),
        cmocka_unit_test(others_are_refused),
        cmocka_unit_test(the_version_before_is_read),
        cmocka_unit_test(lies_about_sizes_are_told),
        cmocka_unit_test(places_are_told_by_name),
    };
    return cmocka_run_group_tests_name("log", tests, NULL, NULL);
}
