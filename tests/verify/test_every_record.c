/* LAWS_SEEDS=3 ./tests/test_verify_every_record tries every change on every record.
 *
 * Logs of random worlds under several policies, costs and clocks: as they are they hold; with any one record dropped,
 * doubled, moved in time or given another number somewhere they don't; and no flipped bit of the file goes unnoticed.
 */
#include "../laws/world.h"
#include "base/rng.h"
#include "scene.h"
#include "tape.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const struct {
    const char *policy, *costs, *clock;
} settings[] = {
    {"fifo+first-fit", "start=3s,restore=7s,save=2s", NULL},
    {"srtf", "restore=5s,checkpoint=20s,unpaid=keep", NULL},
    {"srtf,vc=borrow", "start=3s,restore=7s,save=2s", "tick=5s"},
    {"tiresias,thresholds=20/100,promote=1", "helios", "round=30s"},
    {"easy+spread", NULL, NULL},
};

static orr_text world_log(uint64_t seed, size_t setting)
{
    world w;
    world_make(&w, seed);
    stage *s = world_stage(&w, NULL);
    s->options.policy = settings[setting].policy;
    s->options.costs = settings[setting].costs;
    s->options.clock = settings[setting].clock;
    s->options.max_events = 3000;
    return scene_run(s);
}

/* ---- one record changed ------------------------------------------------------------------------------------------ */

static bool is_grant(const orr_log_record *r)
{
    return r->kind == ORR_LOG_START || r->kind == ORR_LOG_RESIZE || r->kind == ORR_LOG_MIGRATE;
}

static bool drops(tape *t, size_t i)
{
    tape_drop(t, &t->at[i]);
    return true;
}

static bool doubles(tape *t, size_t i)
{
    tape_insert(t, i, t->at[i]);
    return true;
}

/* A later decision of the same time may do just as well for what one did. */
static bool comes_later(tape *t, size_t i)
{
    t->at[i].at++;
    t->at[i].from++;
    t->at[i].until++;
    return t->at[i].kind != ORR_LOG_STOP || t->at[i].stop == ORR_LOG_DRAINED;
}

static bool comes_earlier(tape *t, size_t i)
{
    t->at[i].at--;
    t->at[i].from--;
    t->at[i].until--;
    return true;
}

static bool holds_from_later(tape *t, size_t i)
{
    t->at[i].from++;
    return is_grant(&t->at[i]);
}

static bool pays_more(tape *t, size_t i)
{
    t->at[i].pay++;
    return is_grant(&t->at[i]);
}

static bool goes_faster(tape *t, size_t i)
{
    t->at[i].rate *= 1.5;
    return is_grant(&t->at[i]);
}

static bool loses_more(tape *t, size_t i)
{
    t->at[i].lost++;
    return t->at[i].kind == ORR_LOG_PREEMPT;
}

static bool saves_longer(tape *t, size_t i)
{
    t->at[i].until++;
    return t->at[i].kind == ORR_LOG_PREEMPT;
}

static bool lacks_a_gpu(tape *t, size_t i)
{
    orr_log_record *r = &t->at[i];
    if (!is_grant(r))
        return false;
    tape_slice(r, 0)->gpus &= r->slices[0].gpus - 1;
    return true;
}

static bool ends_otherwise(tape *t, size_t i)
{
    t->at[i].ending = t->at[i].ending == ORR_LOG_DONE ? ORR_LOG_FAILED : ORR_LOG_DONE;
    return t->at[i].kind == ORR_LOG_FINISH;
}

static bool is_the_next_job(tape *t, size_t i)
{
    t->at[i].job++;
    return t->at[i].kind != ORR_LOG_STOP && t->at[i].kind != ORR_LOG_DECIDE;
}

static bool takes_longer(tape *t, size_t i)
{
    const orr_log_record *r = &t->at[i];
    bool ends = false;
    if (r->kind != ORR_LOG_SUBMIT || r->request->attempts || t->header.clock[0] == 't')
        return false; /* on a grid a ns may not matter */
    for (size_t k = i; k < t->n; k++)
        ends |= t->at[k].kind == ORR_LOG_FINISH && t->at[k].job == r->job;
    ((orr_log_request *)(uintptr_t)r->request)->duration++;
    return ends;
}

static bool (*const changes[])(tape *t, size_t i) = {
    drops,      doubles,      comes_later, comes_earlier,  holds_from_later, pays_more,   goes_faster,
    loses_more, saves_longer, lacks_a_gpu, ends_otherwise, is_the_next_job,  takes_longer};

/* Whether the changed log is believed. */
static bool believed(const orr_text *bytes, size_t change, size_t record)
{
    tape *t = tape_of(bytes);
    bool is = false;
    if (changes[change](t, record)) {
        orr_error e = {0};
        orr_verification v = {.metrics = -1};
        orr_text packed = tape_bytes(t);
        orr_log *log = orr_log_memory("changed", packed.at, packed.n, &e);
        is = log && orr_verify_log(log, NULL, &v, &e) == ORR_OK && orr_verification_holds(&v);
        orr_verification_fini(&v);
        orr_log_close(log);
        orr_text_fini(&packed);
    }
    tape_free(t);
    return is;
}

static size_t count_of(const orr_text *bytes)
{
    tape *t = tape_of(bytes);
    const size_t n = t->n;
    orr_verification v = tape_verify(t);
    if (!orr_verification_holds(&v))
        fail_msg("the log doesn't hold: %s: %s", v.findings.at[0].rule, v.findings.at[0].text);
    orr_verification_fini(&v);
    tape_free(t);
    return n;
}

static void not_found(const orr_text *bytes, size_t setting, uint64_t seed, size_t change, size_t record)
{
    tape *t = tape_of(bytes);
    const orr_log_record *r = &t->at[record];
    fail_msg("setting %zu, seed %llu: change %zu of record %zu is believed: %s of job %u at %lld ns", setting,
             (unsigned long long)seed, change, record, orr_log_kind_name(r->kind), r->job, (long long)r->at);
}

static void no_changed_record_is_believed(void **state)
{
    (void)state;
    size_t tried = 0;
    const char *asked = getenv("LAWS_SEEDS");
    const uint64_t seeds = asked ? strtoull(asked, NULL, 10) : 1;
    const size_t step = asked ? 1 : 3; /* of records and changes: all pairs take minutes */
    for (size_t setting = 0; setting < sizeof settings / sizeof *settings; setting++)
        for (uint64_t seed = 0; seed < seeds; seed++) {
            orr_text bytes = world_log(seed * 97 + setting, setting);
            const size_t n = count_of(&bytes);
            for (size_t i = 0; i < n; i++)
                for (size_t c = i % step; c < sizeof changes / sizeof *changes; c += step, tried++)
                    if (believed(&bytes, c, i))
                        not_found(&bytes, setting, seed, c, i);
            orr_text_fini(&bytes);
        }
    printf("%zu changes\n", tried);
    assert_true(tried > 1000);
}

/* ---- one bit flipped --------------------------------------------------------------------------------------------- */

static bool notices(const orr_text *bytes)
{
    orr_error e = {0};
    orr_verification v = {.metrics = -1};
    orr_log *log = orr_log_memory("flipped", bytes->at, bytes->n, &e);
    const bool reads = log && orr_verify_log(log, NULL, &v, &e) == ORR_OK;
    const bool is = !reads || !orr_verification_holds(&v);
    orr_verification_fini(&v);
    orr_log_close(log);
    return is;
}

static void no_flipped_bit_is_believed(void **state)
{
    (void)state;
    orr_text bytes = world_log(5, 0);
    assert_false(notices(&bytes));
    for (size_t i = 0; i < bytes.n * 8; i++) {
        bytes.at[i / 8] = (char)(bytes.at[i / 8] ^ 1 << i % 8);
        if (!notices(&bytes))
            fail_msg("bit %zu of byte %zu of %zu", i % 8, i / 8, bytes.n);
        bytes.at[i / 8] = (char)(bytes.at[i / 8] ^ 1 << i % 8);
    }
    orr_text_fini(&bytes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(no_changed_record_is_believed),
                                       cmocka_unit_test(no_flipped_bit_is_believed)};
    return cmocka_run_group_tests_name("every_record", tests, NULL, NULL);
}
