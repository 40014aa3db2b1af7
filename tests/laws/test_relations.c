/* What runs on related worlds have in common, and what a plain re-computation says. */
#include "check.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static stage *ran(const world *w, const char *policy)
{
    stage *s = world_stage(w, NULL);
    s->options.policy = policy;
    if (stage_try(s)) {
        world_print(w);
        fail_msg("seed %llu, %s: %s", (unsigned long long)w->seed, policy, s->error.message);
    }
    return s;
}

/* ---- slow motion ------------------------------------------------------------------------------------------------- */

static orr_time times(orr_time t, int k)
{
    return t == ORR_TIME_NONE ? t : t * k;
}

static world slowed(const world *w, int k)
{
    world slow = *w;
    for (int i = 0; i < w->job_count; i++) {
        orr_trace_job *job = &slow.jobs[i];
        job->submit = times(job->submit, k);
        job->duration = times(job->duration, k);
        job->limit = times(job->limit, k);
        job->deadline = times(job->deadline, k);
        job->start = times(job->start, k);
        job->ran = times(job->ran, k);
        job->think *= k;
        for (int a = 0; a < WORLD_ATTEMPTS; a++)
            slow.attempts[i][a] *= k;
    }
    return slow;
}

/* Three times as long, three times as late, in everything; for policies without a time of their own. */
static void scaling_time_scales_results(void **state)
{
    (void)state;
    static const char *const policies[] = {"fifo",
                                           "fifo,hol=skip+spread",
                                           "sjf",
                                           "srtf",
                                           "srtf,admit=count",
                                           "srsf",
                                           "ssf",
                                           "sgf",
                                           "easy",
                                           "conservative",
                                           "lpjf",
                                           "edf",
                                           "edf,preempt=off",
                                           "mlfq,thresholds=inf",
                                           "srtf,vc=borrow",
                                           "tiresias,thresholds=inf,service=time",
                                           "recorded"};
    for (size_t i = 0; i < sizeof policies / sizeof *policies; i++)
        for (uint64_t seed = 0; seed < 15; seed++) {
            world w;
            world_make(&w, seed * 101 + i);
            world slow = slowed(&w, 3);
            stage *a = ran(&w, policies[i]), *b = ran(&slow, policies[i]);
            for (size_t k = 0; k < a->record_count; k++) {
                const stage_record *x = &a->records[k], *y = &b->records[k];
                if (strcmp(x->id, y->id) != 0 || times(x->end, 3) != y->end ||
                    times(x->first_start, 3) != y->first_start || x->preemptions != y->preemptions) {
                    world_print(&w);
                    fail_msg("seed %llu, %s: %s ends at %lld ns, in slow motion %s at %lld", (unsigned long long)w.seed,
                             policies[i], x->id, (long long)x->end, y->id, (long long)y->end);
                }
            }
            stage_destroy(a);
            stage_destroy(b);
        }
}

/* ---- one node more ----------------------------------------------------------------------------------------------- */

static void another_node_breaks_nothing(void **state)
{
    (void)state;
    static const char *const policies[] = {"fifo",     "srtf",         "easy+random",
                                           "tiresias", "edf+best-fit", "conservative+spread"};
    for (size_t i = 0; i < sizeof policies / sizeof *policies; i++)
        for (uint64_t seed = 0; seed < 15; seed++) {
            world w;
            char text[CHECK_TEXT];
            world_make(&w, seed * 211 + i);
            w.nodes[w.node_count] = w.nodes[w.node_count - 1];
            w.node_count++;
            const rules r = {.splits = strchr(policies[i], '+') != NULL};
            stage *s = ran(&w, policies[i]);
            const char *wrong = check_schedule(&w, s, &r, text);
            if (wrong) {
                world_print(&w);
                fail_msg("seed %llu, %s: %s", (unsigned long long)w.seed, policies[i], wrong);
            }
            stage_destroy(s);
        }
}

/* ---- one GPU ----------------------------------------------------------------------------------------------------- */

static double mean_jct(const world *w, const char *policy)
{
    stage *s = ran(w, policy);
    double sum = 0;
    for (size_t i = 0; i < s->record_count; i++)
        sum += orr_time_seconds(s->records[i].end - s->records[i].submit);
    sum /= (double)s->record_count;
    stage_destroy(s);
    return sum;
}

static void shorter_first_is_better(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 50; seed++) {
        world w;
        world_one_gpu(&w, seed, true);
        double srtf = mean_jct(&w, "srtf"), sjf = mean_jct(&w, "sjf"), fifo = mean_jct(&w, "fifo");
        assert_true(srtf <= sjf && sjf <= fifo);
        world_one_gpu(&w, seed, false); /* with arrivals, preemption is what makes it optimal */
        srtf = mean_jct(&w, "srtf");
        static const char *const others[] = {"sjf", "fifo", "las", "tiresias", "mlfq", "lpjf", "easy", "gittins"};
        for (size_t i = 0; i < sizeof others / sizeof *others; i++)
            assert_true(srtf <= mean_jct(&w, others[i]) + 1e-9);
    }
}

/* Second by second, in the plainest way: who has the least left runs; ties: who runs, then who stands first. */
static void textbook_srtf(const world *w, orr_time ends[WORLD_JOBS])
{
    int64_t left[WORLD_JOBS];
    int open = w->job_count, running = -1;
    for (int i = 0; i < w->job_count; i++)
        left[i] = w->jobs[i].duration / ORR_SECOND;
    for (orr_time now = 0; open > 0; now += ORR_SECOND) {
        int best = running;
        for (int i = 0; i < w->job_count; i++)
            if (left[i] > 0 && w->jobs[i].submit <= now && (best < 0 || left[i] < left[best]))
                best = i;
        running = best;
        if (best >= 0 && --left[best] == 0) {
            ends[best] = now + ORR_SECOND;
            running = -1;
            open--;
        }
    }
}

static void textbook_fifo(const world *w, orr_time ends[WORLD_JOBS])
{
    orr_time free_at = 0;
    for (int i = 0; i < w->job_count; i++) {
        free_at = (free_at > w->jobs[i].submit ? free_at : w->jobs[i].submit) + w->jobs[i].duration;
        ends[i] = free_at;
    }
}

static void textbook_sjf(const world *w, orr_time ends[WORLD_JOBS])
{
    bool done[WORLD_JOBS] = {false};
    orr_time now = 0;
    for (int open = w->job_count; open > 0;) {
        int best = -1;
        orr_time next = ORR_TIME_MAX;
        for (int i = 0; i < w->job_count; i++) {
            if (done[i])
                continue;
            if (w->jobs[i].submit > now)
                next = w->jobs[i].submit < next ? w->jobs[i].submit : next;
            else if (best < 0 || w->jobs[i].duration < w->jobs[best].duration)
                best = i;
        }
        if (best < 0) {
            now = next;
            continue;
        }
        ends[best] = now += w->jobs[best].duration;
        done[best] = true;
        open--;
    }
}

static void like_the_textbook(void **state)
{
    (void)state;
    static const struct {
        const char *policy;
        void (*ends)(const world *w, orr_time ends[WORLD_JOBS]);
    } rows[] = {{"fifo", textbook_fifo}, {"sjf", textbook_sjf}, {"srtf", textbook_srtf},
                {"srtf,quantum=1s", textbook_srtf}, {"easy", textbook_fifo}, {"conservative", textbook_fifo}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        for (uint64_t seed = 0; seed < 50; seed++) {
            world w;
            orr_time ends[WORLD_JOBS];
            world_one_gpu(&w, seed, false);
            rows[i].ends(&w, ends);
            stage *s = ran(&w, rows[i].policy);
            for (int k = 0; k < w.job_count; k++)
                if (stage_of(s, w.ids[k])->end != ends[k]) {
                    world_print(&w);
                    fail_msg("seed %llu, %s: %s ends at %lld ns, by the book at %lld", (unsigned long long)seed,
                             rows[i].policy, w.ids[k], (long long)stage_of(s, w.ids[k])->end, (long long)ends[k]);
                }
            stage_destroy(s);
        }
}

/* Knobs that do nothing on a world do nothing to it. */
static void equivalences(void **state)
{
    (void)state;
    static const char *const pairs[][2] = {
        {"fifo", "fifo,vc=shared"},       /* on one pool */
        {"srtf", "srtf,gain_min=0"}, {"tiresias,thresholds=inf", "tiresias,thresholds=inf,promote=1"},
        {"mlfq,thresholds=inf,within=submit", "tiresias,thresholds=inf,within=submit"},
        {"easy,depth=0", "fifo"},         /* looks at nobody behind the head */
        {"sjf~noisy,sigma=0", "sjf"},
    };
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++)
        for (uint64_t seed = 0; seed < 20; seed++) {
            world w;
            world_make(&w, seed * 307 + i);
            for (int k = 0; k < w.node_count; k++)
                w.nodes[k].vc = "";
            for (int k = 0; k < w.job_count; k++) /* noisy rounds down to a millisecond */
                w.jobs[k].duration -=
                    strstr(pairs[i][0], "noisy") && w.jobs[k].attempt_count == 1 ? w.jobs[k].duration % ORR_MS : 0;
            stage *a = ran(&w, pairs[i][0]), *b = ran(&w, pairs[i][1]);
            char *x = stage_story(a), *y = stage_story(b);
            if (strcmp(x, y) != 0) {
                world_print(&w);
                fail_msg("seed %llu: %s and %s differ", (unsigned long long)w.seed, pairs[i][0], pairs[i][1]);
            }
            free(x);
            free(y);
            stage_destroy(a);
            stage_destroy(b);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(scaling_time_scales_results), cmocka_unit_test(another_node_breaks_nothing),
        cmocka_unit_test(shorter_first_is_better),     cmocka_unit_test(like_the_textbook),
        cmocka_unit_test(equivalences),
    };
    return cmocka_run_group_tests_name("relations", tests, NULL, NULL);
}
