/* Every policy with every placer, under several costs and clocks, on random worlds: what must hold holds. A world that
 * breaks something is shrunk to one in which no job can be spared, and printed.
 *
 *     LAWS_SEEDS=500 ./tests/test_laws_laws     looks further
 *     LAWS_ONLY=afs ./tests/test_laws_laws      at policies with that in their text */
#include "check.h"

#include "base/rng.h"
#include "log/sink.h"
#include "verify/verify.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

typedef struct scenario {
    char policy[128];
    const char *costs, *clock;
    bool priced;    /* GPUs have prices */
    bool may_churn; /* it may swap jobs faster than they are restored; then it doesn't end */
    rules r;
} scenario;

static const struct {
    const char *text;
    orr_time save;
} costs[] = {{NULL, 0},
             {"start=3s,restore=7s,save=2s", 2 * ORR_SECOND},
             {"restore=5s,checkpoint=20s,unpaid=keep", 0},
             {"helios", 0}};

static const struct {
    const char *text;
    orr_time tick;
} clocks[] = {{NULL, 0}, {"round=30s", 0}, {"tick=5s", 5 * ORR_SECOND}};

static scenario scenario_of(const char *policy, size_t cost, size_t clock)
{
    scenario sc = {.costs = costs[cost].text, .clock = clocks[clock].text};
    snprintf(sc.policy, sizeof sc.policy, "%s", policy);
    if (strncmp(policy, "pollux", 6) == 0) { /* a shorter search: laws hold whatever it finds */
        size_t name = strcspn(policy, "+~");
        snprintf(sc.policy, sizeof sc.policy, "%.*s,population=8,generations=4,round=600s%s", (int)name, policy,
                 policy + name);
    }
    sc.r.any_vc = strstr(policy, "vc=shared") || strstr(policy, "vc=borrow") || strstr(policy, "philly");
    sc.r.splits = strstr(policy, "first-fit") || strstr(policy, "best-fit") || strstr(policy, "spread") ||
                  strstr(policy, "random") || strstr(policy, "consolidate-first") ||
                  ((strstr(policy, "optimus") || strncmp(policy, "pollux", 6) == 0) && !strchr(policy, '+'));
    sc.r.work_conserving = cost == 0 && clock == 0 && !stage_has_rounds(policy) && !strstr(policy, "recorded");
    /* gandiva-fair: wide gangs that take turns of a minute, and pay a minute for each restart */
    sc.may_churn = cost != 0 && (strstr(policy, "las") || strncmp(policy, "gandiva-fair", 12) == 0 ||
                                 strstr(policy, "gittins") || strstr(policy, "promote="));
    sc.r.calm = clock == 0 && !strstr(policy, "las") && !strstr(policy, "gittins") && !strstr(policy, "quantum=") &&
                !stage_has_rounds(policy) && !strstr(policy, "promote=") && !strstr(policy, "~") &&
                !strstr(policy, "philly") && !strstr(policy, "delay") && !strstr(policy, "elasticflow");
    sc.r.tick = clocks[clock].tick;
    sc.r.save = sc.r.tick ? orr_time_ceil(costs[cost].save, sc.r.tick) : costs[cost].save;
    return sc;
}

/* The run's own log, proved by a verifier that shares no code with the engine. NULL: it holds. */
static const char *prove(orr_log_sink *sink, char text[CHECK_TEXT])
{
    orr_error e = {0};
    orr_verification v = {.metrics = -1};
    orr_text bytes = orr_log_sink_take(sink);
    orr_log *log = orr_log_memory("log", bytes.at, bytes.n, &e);
    const char *wrong = NULL;
    if (!log || orr_verify_log(log, NULL, &v, &e) || v.cut.code) {
        snprintf(text, CHECK_TEXT, "its log can't be read: %.150s", e.code ? e.message : v.cut.message);
        wrong = text;
    } else if (v.findings.n) {
        const orr_finding *f = &v.findings.at[0];
        snprintf(text, CHECK_TEXT, "its log doesn't hold: %s: %s at %lld ns: %.150s", f->rule, f->job, (long long)f->at,
                 f->text);
        wrong = text;
    }
    orr_verification_fini(&v);
    orr_log_close(log);
    orr_text_fini(&bytes);
    return wrong;
}

/* NULL: all is well. */
static const char *run_once(const world *w, const scenario *sc, const int *order, char **story, char text[CHECK_TEXT])
{
    stage *s = world_stage(w, order);
    s->options.policy = sc->policy;
    s->options.costs = sc->costs;
    s->options.clock = sc->clock;
    orr_log_sink *log = orr_log_sink_create(NULL, "all", NULL);
    s->also = orr_log_sink_sink(log);
    s->options.max_events = 100000; /* some hundred would do: a run without end is found out soon */
    orr_scenario *prices = sc->priced ? world_prices(w) : NULL;
    s->options.scenario = prices;
    const char *wrong = NULL;
    orr_err err = stage_open(s);
    if (!err)
        err = orr_sim_run(s->sim, &s->error);
    bool churned = sc->may_churn && s->sim && (err == ORR_E_NO_PROGRESS || orr_sim_stop(s->sim) == ORR_STOP_LIMIT);
    if (err && !churned) {
        snprintf(text, CHECK_TEXT, "the run fails: %.200s", s->error.message);
        wrong = text;
    } else if (!churned) {
        wrong = check_schedule(w, s, &sc->r, text);
    }
    if (story)
        *story = stage_story(s);
    if (!wrong && s->sim && !story) /* comparing two runs proves neither: `holds` does */
        wrong = prove(log, text);
    else
        orr_log_sink_abandon(log);
    stage_destroy(s);
    orr_scenario_destroy(prices);
    return wrong;
}

static const char *holds(const world *w, const scenario *sc, char text[CHECK_TEXT])
{
    return run_once(w, sc, NULL, NULL, text);
}

/* ---- what two runs have in common -------------------------------------------------------------------------------- */

/* Jobs of equal submission change places; the others stay. */
static void shuffle(const world *w, uint64_t seed, int order[WORLD_JOBS])
{
    for (int i = 0; i < w->job_count; i++)
        order[i] = i;
    for (int i = w->job_count - 1; i > 0; i--) {
        int first = i;
        while (first > 0 && w->jobs[order[first - 1]].submit == w->jobs[order[i]].submit)
            first--;
        int k = first + (int)(orr_mix64(seed + (uint64_t)i) % (uint64_t)(i - first + 1)), t = order[i];
        order[i] = order[k];
        order[k] = t;
    }
}

static const char *compares(const world *w, const scenario *sc, const int *order, const char *what,
                            char text[CHECK_TEXT])
{
    char *a = NULL, *b = NULL;
    const char *wrong = run_once(w, sc, NULL, &a, text);
    if (!wrong)
        wrong = run_once(w, sc, order, &b, text);
    if (!wrong && strcmp(a, b) != 0)
        wrong = what;
    free(a);
    free(b);
    return wrong;
}

static const char *repeats(const world *w, const scenario *sc, char text[CHECK_TEXT])
{
    return compares(w, sc, NULL, "two equal runs differ", text);
}

static const char *permutes(const world *w, const scenario *sc, char text[CHECK_TEXT])
{
    int order[WORLD_JOBS];
    if (strstr(sc->policy, "ties=row") || strstr(sc->policy, "ties=queue"))
        return NULL; /* there, arrivals of one instant come in the order of the file */
    shuffle(w, w->seed, order);
    return compares(w, sc, order, "the order of rows of one time matters", text);
}

/* ---- shrinking --------------------------------------------------------------------------------------------------- */

typedef const char *(*law)(const world *w, const scenario *sc, char text[CHECK_TEXT]);

static bool needs_met(const world *w, const scenario *sc)
{
    bool deadline = strncmp(sc->policy, "edf", 3) != 0 && strncmp(sc->policy, "elasticflow", 11) != 0,
         start = strncmp(sc->policy, "recorded", 8) != 0;
    for (int i = 0; i < w->job_count; i++) {
        deadline |= w->jobs[i].deadline != ORR_TIME_NONE;
        start |= w->jobs[i].start != ORR_TIME_NONE;
    }
    return deadline && start && w->job_count > 0;
}

static void without(world *w, int i)
{
    w->job_count--;
    memmove(w->jobs + i, w->jobs + i + 1, (size_t)(w->job_count - i) * sizeof *w->jobs);
    memmove(w->ids + i, w->ids + i + 1, (size_t)(w->job_count - i) * sizeof *w->ids);
    memmove(w->attempts + i, w->attempts + i + 1, (size_t)(w->job_count - i) * sizeof *w->attempts);
    memmove(w->after + i, w->after + i + 1, (size_t)(w->job_count - i) * sizeof *w->after);
}

/* Leaves out jobs as long as it still breaks. */
static world shrunk(world w, const scenario *sc, law must)
{
    char text[CHECK_TEXT];
    for (int i = 0; i < w.job_count;) {
        world less = w;
        without(&less, i);
        if (needs_met(&less, sc) && must(&less, sc, text)) {
            w = less;
            i = 0;
        } else {
            i++;
        }
    }
    return w;
}

static void demand(const world *w, const scenario *sc, law must)
{
    char text[CHECK_TEXT];
    if (!must(w, sc, text))
        return;
    world least = shrunk(*w, sc, must);
    const char *why = must(&least, sc, text);
    printf("# seed %llu, policy %s, costs %s, clock %s: %s\n", (unsigned long long)w->seed, sc->policy,
           sc->costs ? sc->costs : "zero", sc->clock ? sc->clock : "exact", why);
    world_print(&least);
    fail_msg("%s: %s", sc->policy, why);
}

/* ---- all there is ------------------------------------------------------------------------------------------------ */

static uint64_t seeds(uint64_t usual)
{
    const char *asked = getenv("LAWS_SEEDS");
    return asked ? strtoull(asked, NULL, 10) : usual;
}

static bool is_asked(const char *policy)
{
    const char *only = getenv("LAWS_ONLY");
    return !only || strstr(policy, only);
}

static bool schedules(const orr_module *m)
{
    return m->kind == ORR_KIND_ORDER || m->kind == ORR_KIND_POLICY;
}

static void every_policy_with_every_placer(void **state)
{
    (void)state;
    orr_registry *registry = orr_registry_create();
    const orr_module *const *m;
    size_t n = orr_registry_modules(registry, &m), pairs = 0;
    for (size_t i = 0; i < n; i++) {
        for (size_t k = 0; k < n && schedules(m[i]); k++) {
            char policy[64], placer[64], text[130];
            if (m[k]->kind != ORR_KIND_PLACER)
                continue;
            orr_module_shown_name(m[i], policy, sizeof policy);
            orr_module_shown_name(m[k], placer, sizeof placer);
            snprintf(text, sizeof text, "%.60s+%.60s", policy, placer);
            pairs++;
            for (uint64_t seed = 0; is_asked(text) && seed < seeds(strcmp(policy, "pollux") == 0 ? 1 : 3); seed++) {
                world w;
                world_make(&w, seed * 1009 + pairs);
                for (size_t cost = 0; cost < 4; cost++) {
                    scenario sc = scenario_of(text, cost, (seed + cost) % 4 == 1 ? 1 : (seed + cost) % 5 == 2 ? 2 : 0);
                    demand(&w, &sc, holds);
                }
                scenario sc = scenario_of(text, seed % 4, 0);
                demand(&w, &sc, seed % 2 ? repeats : permutes);
            }
        }
    }
    assert_true(pairs >= 14 * 7);
    orr_registry_destroy(registry);
}

/* Settings that take other paths through the drivers. */
static void variants(void **state)
{
    (void)state;
    static const char *const policies[] = {
        "philly,retry=5s",
        "philly,retry=2s,preempt_at=0.3",
        "delay,node=3s,rack=5s",
        "fifo,hol=skip",
        "fifo,hol=skip,vc=shared",
        "fifo,vc=borrow+first-fit",
        "fifo,vc=borrow,hol=skip",
        "fifo,quantum=7s",
        "sjf,backfill=easy~limit",
        "easy,depth=3~noisy,sigma=2",
        "easy,vc=borrow",
        "easy~rolling",
        "sjf,backfill=conservative",
        "easy,hol=skip~limit+random",
        "conservative~noisy,sigma=2",
        "conservative,depth=2~limit",
        "conservative,vc=shared~rolling",
        "sjf~noisy",
        "sjf,vc=shared,hol=skip~rolling",
        "sjf,preempt=on",
        "sjf,preempt=on,hol=skip+first-fit",
        "srtf~noisy,sigma=2",
        "srtf~rolling",
        "srtf,admit=count",
        "srtf,admit=count+first-fit",
        "srtf,admit=count,recheck=1s",
        "srtf,hol=block",
        "srtf,vc=shared+spread",
        "srtf,vc=borrow",
        "srtf,ties=queue",
        "srtf,ties=last",
        "srtf,ties=submit",
        "srtf,gain_min=20",
        "srtf,quantum=13s",
        "las,quantum=50s",
        "las,ties=last,admit=count",
        "las,hol=block",
        "lpjf,preempt=on",
        "sgf,preempt=on",
        "sgf,preempt=on,vc=borrow+random",
        "fifo,round=20s",
        "srtf,min_gap=15s",
        "mlfq,thresholds=10/40",
        "mlfq,thresholds=10/40,promote=4",
        "mlfq,within=start",
        "mlfq,within=submit,service=gpu",
        "mlfq,hol=block,vc=shared",
        "tiresias,thresholds=20/100",
        "tiresias,thresholds=20/100,promote=8",
        "tiresias,vc=shared",
        "tiresias,demote=events,thresholds=20/100,promote=8",
        "tiresias,admit=count,thresholds=30",
        "tiresias,ties=last",
        "qssf~oracle",
        "qssf,again=3s",
        "qssf,vc=shared",
        "qssf,ties=queue",
        "ssf~qssf",
        "sjf~user-mean",
        "srtf~ridge,every=4",
        "gittins,delta=20,quantum=45s",
        "gittins,vc=shared",
        "edf,admission=demand",
        "edf,admission=plan",
        "edf,preempt=off",
        "edf,preempt=off,admission=plan+first-fit",
        "edf,hol=block",
        "edf,vc=shared",
        "recorded,vc=shared",
        "recorded,vc=borrow",
        "srtf,admit=yield",
        "srtf,admit=yield,hol=block",
        "las,admit=yield,vc=shared",
        "drf,hol=all",
        "drf,vc=shared",
        "hived,hol=skip,inner=srtf",
        "hived,priority=-1",
        "hived,priority=-1,hol=skip,inner=smallest",
        "tetris,epsilon=0",
        "tetris,vc=shared",
        "synergy,round=60s,order=las",
        "lucid,sharing=off",
        "lucid,recheck=7s",
        "elan,queue=skip",
        "elan,queue=backfill",
        "elan,queue=backfill,vc=shared+first-fit",
        "edl,pending=0,thresholds=20/100,compact=best",
        "edl,thresholds=30,vc=shared+spread",
        "afs,length=unknown,thresholds=20/100",
        "afs,steps=double,vc=shared+first-fit",
        "elasticflow,slot=7s",
        "elasticflow,slot=20s,overhead=7s,place=counts+first-fit",
        "elasticflow,admission=off,vc=shared",
        "gandiva,quantum=45s,migrate=off",
        "synergy,round=20s,keep=off,order=srtf,vc=shared",
    };
    for (size_t i = 0; i < sizeof policies / sizeof *policies; i++) {
        stage *probe = stage_create("nodes=1,gpus=1"); /* knobs come and go: what there isn't is left out */
        orr_trace_job job = stage_job("A", 0, 1, 1);
        job.deadline = ORR_SECOND;
        job.start = 0;
        stage_add(probe, job);
        probe->options.policy = policies[i];
        bool there = stage_open(probe) == ORR_OK;
        if (!there)
            printf("left out: %s (%s)\n", policies[i], probe->error.message);
        stage_destroy(probe);
        for (uint64_t seed = 0; there && is_asked(policies[i]) && seed < seeds(5); seed++) {
            world w;
            world_make(&w, seed * 2003 + i);
            for (size_t cost = 0; cost < 4; cost++) {
                scenario sc = scenario_of(policies[i], cost,
                                          (seed + cost) % 6 == 1   ? 1
                                          : (seed + cost) % 7 == 2 ? 2
                                                                   : 0);
                sc.r.work_conserving &= !strstr(policies[i], "round=") && !strstr(policies[i], "min_gap=");
                demand(&w, &sc, holds);
            }
            scenario sc = scenario_of(policies[i], seed % 4, 0);
            sc.r.work_conserving = false;
            demand(&w, &sc, seed % 2 ? repeats : permutes);
        }
    }
}

static void every_preset(void **state)
{
    (void)state;
    orr_registry *registry = orr_registry_create();
    const orr_module *const *m;
    size_t n = orr_registry_modules(registry, &m), seen = 0;
    for (size_t i = 0; i < n; i++) {
        const orr_placer *head = m[i]->descriptor;
        for (const orr_preset *p = head->presets; p && p->name && m[i]->kind < ORR_KIND_ESTIMATOR; p++) {
            char name[64], text[160];
            orr_module_shown_name(m[i], name, sizeof name);
            snprintf(text, sizeof text, "%s%.60s:%.60s", schedules(m[i]) ? "" : "fifo+", name, p->name);
            seen++;
            for (uint64_t seed = 0; is_asked(text) && seed < seeds(5); seed++) {
                world w;
                world_make(&w, seed * 3001 + seen);
                scenario sc = scenario_of(text, seed % 4, 0);
                sc.priced = strstr(p->settings, "objective=cost") != NULL;
                sc.r.splits = strstr(p->settings, "first-fit") != NULL;
                sc.r.any_vc |= strstr(p->settings, "hierarchical") != NULL; /* VCs are who shares all nodes */
                sc.r.work_conserving &= !strstr(p->settings, "round=");
                demand(&w, &sc, holds);
                sc.r.work_conserving = false;
                demand(&w, &sc, repeats);
            }
        }
    }
    assert_true(seen >= 8);
    orr_registry_destroy(registry);
}

/* ---- do the laws see anything? ----------------------------------------------------------------------------------- */

/* A forged report must be found out; else all of the above proves nothing. */
static const char *forged(const world *w, void (*forge)(stage *s), char text[CHECK_TEXT])
{
    scenario sc = scenario_of("fifo+first-fit", 0, 0);
    stage *s = world_stage(w, NULL);
    s->options.policy = sc.policy;
    stage_run(s);
    forge(s);
    const char *wrong = check_schedule(w, s, &sc.r, text);
    stage_destroy(s);
    return wrong;
}

static void moves_a_hold(stage *s) { s->holds[1].start = s->holds[1].end = s->holds[1].end + ORR_SECOND; }
static void shortens_a_hold(stage *s) { s->holds[0].end--; }
static void breaks_a_gang(stage *s) { s->holds[0].slices[0].gpus &= s->holds[0].slices[0].gpus - 1; }
static void doubles_a_gpu(stage *s) { s->holds[1].start = s->holds[0].start; }
static void starts_too_early(stage *s) { s->holds[1].start = -1; }
static void loses_a_job(stage *s) { s->record_count--; }
static void forgets_overhead(stage *s) { s->records[0].overhead = 1; }
static void renames_the_end(stage *s) { s->records[0].state = ORR_JOB_FAILED; }
static void rejects_the_able(stage *s) { s->records[0].state = ORR_JOB_REJECTED; }
static void comes_late(stage *s) { s->records[0].submit++; }
static void nothing(stage *s) { (void)s; }

static void forgeries_are_found_out(void **state)
{
    (void)state;
    void (*const forge[])(stage *) = {moves_a_hold,     shortens_a_hold, breaks_a_gang,    doubles_a_gpu,
                                      starts_too_early, loses_a_job,     forgets_overhead, renames_the_end,
                                      rejects_the_able, comes_late};
    world w;
    char text[CHECK_TEXT];
    world_one_gpu(&w, 5, true);
    assert_null(forged(&w, nothing, text));
    for (size_t i = 0; i < sizeof forge / sizeof *forge; i++)
        if (!forged(&w, forge[i], text))
            fail_msg("forgery %zu was believed", i);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(forgeries_are_found_out),
        cmocka_unit_test(every_policy_with_every_placer),
        cmocka_unit_test(variants),
        cmocka_unit_test(every_preset),
    };
    return cmocka_run_group_tests_name("laws", tests, NULL, NULL);
}
