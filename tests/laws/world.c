#include "world.h"

#include "base/rng.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

typedef struct dice {
    uint64_t x;
} dice;

static int throw_(dice *d, int below)
{
    d->x = orr_mix64(d->x + 1);
    return (int)((d->x >> 16) % (uint64_t)below);
}

static bool one_in(dice *d, int n)
{
    return throw_(d, n) == 0;
}

/* ---- clusters ---------------------------------------------------------------------------------------------------- */

static void make_nodes(world *w, dice *d)
{
    static const int32_t sizes[] = {1, 2, 3, 4, 8};
    static const char *const vcs[] = {"red", "blue", ""}, *const types[] = {"V100", "A100"};
    bool alike = one_in(d, 2), with_vcs = one_in(d, 2), with_types = one_in(d, 3), with_cores = one_in(d, 3);
    int32_t size = sizes[throw_(d, 5)];
    w->node_count = 1 + throw_(d, WORLD_NODES - 1);
    for (int i = 0; i < w->node_count; i++) {
        orr_node_spec n = orr_node_spec_default();
        n.gpus = alike ? size : sizes[throw_(d, 5)];
        n.vc = with_vcs ? vcs[throw_(d, 3)] : "";
        n.gpu_type = with_types ? types[throw_(d, 2)] : "";
        n.rack = i % 2 ? "left" : "right";
        n.cpus = with_cores ? 4 * n.gpus + throw_(d, 4) : 0;
        n.mem_bytes = with_cores && one_in(d, 2) ? 10 * n.gpus : 0;
        w->nodes[i] = n;
    }
}

/* ---- jobs -------------------------------------------------------------------------------------------------------- */

static orr_time make_duration(dice *d)
{
    static const orr_time odd[] = {0, 1, ORR_US, ORR_SECOND / 3, 5 * ORR_SECOND};
    if (one_in(d, 5))
        return odd[throw_(d, 5)];
    orr_time scale = one_in(d, 4) ? 40 : 4; /* a few long ones */
    return (orr_time)(1 + throw_(d, 20)) * scale * ORR_SECOND;
}

static int32_t make_gang(dice *d)
{
    static const int32_t common[] = {1, 1, 1, 2, 2, 4, 8};
    return one_in(d, 6) ? 1 + throw_(d, 16) : common[throw_(d, 7)];
}

static void make_attempts(world *w, int i, dice *d)
{
    orr_trace_job *job = &w->jobs[i];
    job->attempt_count = 2 + (uint32_t)throw_(d, WORLD_ATTEMPTS - 1);
    job->duration = 0;
    for (uint32_t a = 0; a < job->attempt_count; a++) {
        w->attempts[i][a] = (orr_time)throw_(d, 30) * ORR_SECOND;
        job->duration += w->attempts[i][a];
    }
}

static void make_job(world *w, int i, orr_time submit, dice *d)
{
    const orr_node_spec *home = &w->nodes[throw_(d, w->node_count)];
    orr_trace_job *job = &w->jobs[i];
    *job = orr_trace_job_default();
    snprintf(w->ids[i], sizeof w->ids[i], "j%d", i);
    job->user = throw_(d, 2) ? "u" : "v";
    job->name = throw_(d, 2) ? "train" : "tune";
    job->model = throw_(d, 2) ? "vgg16" : "resnet50";
    job->submit = submit;
    job->duration = make_duration(d);
    job->gpus = make_gang(d);
    job->vc = one_in(d, 12) ? "nowhere" : home->vc;
    job->gpu_type = one_in(d, 3) ? home->gpu_type : one_in(d, 20) ? "H100" : "";
    job->cpu_milli = one_in(d, 2) ? job->gpus * (1 + throw_(d, 5)) * 1000 : 0;
    job->mem_bytes = one_in(d, 3) ? job->gpus * (1 + throw_(d, 10)) : 0;
    job->preemptible = !one_in(d, 5);
    job->ending = (orr_ending)(throw_(d, 6) % 3);
    job->weight = 1 + throw_(d, 3);
    if (one_in(d, 8))
        make_attempts(w, i, d);
    if (one_in(d, 8))
        job->max_gpus = job->gpus + 2;
    if (!one_in(d, 3))
        job->limit = job->duration / 2 + (orr_time)throw_(d, 100) * ORR_SECOND; /* right, wrong, or too short */
    if (i == 0 || !one_in(d, 4))
        job->deadline = job->submit + (orr_time)throw_(d, 300) * ORR_SECOND;
}

/* ---- what ties jobs to each other and to the record -------------------------------------------------------------- */

static void make_links(world *w, dice *d)
{
    for (int i = 0; i < w->job_count; i++) {
        if (!one_in(d, 4))
            continue;
        for (int k = 0; k < WORLD_LINKS; k++)
            w->after[i][k] = one_in(d, 2) ? throw_(d, w->job_count) : -1; /* itself and circles, too: they are let go */
        w->jobs[i].think = one_in(d, 2) ? (orr_time)throw_(d, 30) * ORR_SECOND : 0;
    }
}

/* The first few ran at 0; more of them than there is room for, perhaps. */
static void make_start_state(world *w, dice *d)
{
    int n = 1 + throw_(d, w->job_count / 2);
    for (int i = 0; i < n; i++) {
        orr_trace_job *job = &w->jobs[i];
        job->submit = 0;
        job->carried = true;
        job->ran = (orr_time)throw_(d, 100) * ORR_SECOND;
        job->start = one_in(d, 3) ? ORR_TIME_NONE : -job->ran;
    }
}

static void make_traits(world *w, dice *d)
{
    bool with_links = one_in(d, 2), with_start_state = one_in(d, 3);
    for (int i = 0; i < w->job_count; i++) {
        orr_trace_job *job = &w->jobs[i];
        if (i == 0 || !one_in(d, 5))
            job->start = job->submit + (orr_time)throw_(d, 60) * ORR_SECOND;
        if (job->gpu_type[0] && one_in(d, 2))
            job->gpu_type = one_in(d, 2) ? "A100|V100" : "H100|V100";
    }
    if (with_links)
        make_links(w, d);
    if (with_start_state)
        make_start_state(w, d);
}

void world_make(world *w, uint64_t seed)
{
    dice d = {orr_mix64(seed)};
    *w = (world){.seed = seed, .job_count = 5 + throw_(&d, WORLD_JOBS - 5)};
    make_nodes(w, &d);
    orr_time at = 0;
    for (int i = 0; i < w->job_count; i++) {
        if (!one_in(&d, 3)) /* else together with the one before */
            at += (orr_time)throw_(&d, 40) * ORR_SECOND;
        make_job(w, i, at, &d);
    }
    memset(w->after, -1, sizeof w->after);
    make_traits(w, &d);
}

void world_one_gpu(world *w, uint64_t seed, bool together)
{
    dice d = {orr_mix64(seed)};
    *w = (world){.seed = seed, .job_count = 2 + throw_(&d, WORLD_JOBS - 2), .node_count = 1};
    memset(w->after, -1, sizeof w->after);
    w->nodes[0] = orr_node_spec_default();
    w->nodes[0].gpus = 1;
    orr_time at = 0;
    for (int i = 0; i < w->job_count; i++) {
        w->jobs[i] = orr_trace_job_default();
        snprintf(w->ids[i], sizeof w->ids[i], "j%d", i);
        w->jobs[i].submit = at;
        w->jobs[i].duration = (orr_time)(1 + throw_(&d, 60)) * ORR_SECOND;
        at += together ? 0 : (orr_time)throw_(&d, 40) * ORR_SECOND;
    }
}

/* ---- use --------------------------------------------------------------------------------------------------------- */

stage *world_stage(const world *w, const int *order)
{
    orr_cluster_spec *spec = orr_cluster_spec_create("world");
    for (int i = 0; i < w->node_count; i++)
        assert_int_equal(orr_cluster_spec_add(spec, &w->nodes[i], 1, NULL), ORR_OK);
    stage *s = stage_on(spec);
    s->options.reject_unknown_vc = w->seed % 2;
    for (int k = 0; k < w->job_count; k++) {
        int i = order ? order[k] : k;
        orr_trace_job job = w->jobs[i];
        job.id = w->ids[i];
        if (job.attempt_count > 1)
            job.attempts = w->attempts[i];
        orr_predecessor links[WORLD_LINKS];
        char ids[WORLD_LINKS][16];
        for (int l = 0; l < WORLD_LINKS; l++) {
            if (w->after[i][l] < 0)
                continue;
            snprintf(ids[l], sizeof ids[l], "j%d", w->after[i][l]);
            links[job.after_count++] = (orr_predecessor){.id = ids[l]};
        }
        job.after = job.after_count ? links : NULL;
        stage_add(s, job);
    }
    return s;
}

orr_scenario *world_prices(const world *w)
{
    static const char *const types[] = {"V100", "A100", ""};
    dice d = {orr_mix64(w->seed + 7)};
    orr_scenario *s = orr_scenario_create("prices");
    for (int change = 0; change < 2; change++)
        for (int k = 0; k < 3; k++) {
            const orr_time at = change * (orr_time)(1 + throw_(&d, 200)) * ORR_SECOND;
            orr_scenario_add(s, &(orr_incident){.at = at,
                                                .kind = ORR_INCIDENT_PRICE,
                                                .type = types[k],
                                                .lasts = ORR_TIME_NONE,
                                                .price = (1 + throw_(&d, 8)) * 0.25});
        }
    return s;
}

void world_print(const world *w)
{
    stage *s = world_stage(w, NULL);
    for (int i = 0; i < w->node_count; i++) {
        const orr_node_spec *n = &w->nodes[i];
        printf("# node %d: %d GPUs, vc '%s', type '%s', %d cores, %lld bytes\n", i, n->gpus, n->vc, n->gpu_type,
               n->cpus, (long long)n->mem_bytes);
    }
    fflush(stdout);
    if (orr_trace_finish(s->trace, NULL) == ORR_OK)
        orr_trace_write(s->trace, "-", NULL, NULL);
    stage_destroy(s);
}
