#include "scene.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

static orr_cluster_spec *three_nodes(void)
{
    static const struct {
        const char *vc, *type;
    } nodes[] = {{"red", "V100"}, {"blue", "A100"}, {"red", "V100"}};
    orr_cluster_spec *spec = orr_cluster_spec_create("scene");
    for (int i = 0; i < 3; i++) {
        orr_node_spec n = orr_node_spec_default();
        n.gpus = 4;
        n.cpus = 16;
        n.vc = nodes[i].vc;
        n.gpu_type = nodes[i].type;
        assert_int_equal(orr_cluster_spec_add(spec, &n, 1, NULL), ORR_OK);
    }
    return spec;
}

static orr_trace_job red(const char *id, double submit, int32_t gpus, double duration)
{
    orr_trace_job job = stage_job(id, submit, gpus, duration);
    job.vc = "red";
    job.user = "ann";
    return job;
}

static void add_jobs(stage *s)
{
    static const orr_time attempts[] = {10 * ORR_SECOND, 20 * ORR_SECOND};
    static const orr_predecessor after[] = {{.id = "A"}};
    orr_trace_job a = red("A", 0, 2, 100), b = red("B", 0, 4, 50), c = red("C", 5, 2, 60), d = red("D", 6, 1, 10),
                  e = red("E", 0, 1, 30), f = red("F", 7, 1, 30), g = red("G", 8, 40, 1), h = red("H", 9, 1, 500),
                  i = red("I", 5, 1, 1), k = red("K", 0, 1, 5);
    a.gpu_type = "P100|V100";
    a.cpu_milli = 4000;
    b.vc = k.vc = "blue";
    c.min_gpus = 1;
    c.max_gpus = 4;
    d.after = after;
    d.after_count = 1;
    d.think = 5 * ORR_SECOND;
    e.preemptible = false;
    f.attempts = attempts;
    f.attempt_count = 2;
    f.ending = ORR_ENDING_FAILED;
    f.deadline = 200 * ORR_SECOND;
    const orr_trace_job jobs[] = {a, b, c, d, e, f, g, h, i, k};
    for (size_t n = 0; n < sizeof jobs / sizeof *jobs; n++)
        stage_add(s, jobs[n]);
}

stage *scene_stage(void)
{
    stage *s = stage_on(three_nodes());
    add_jobs(s);
    stage_script(
        s, "0 A@0:3; 0 B@1:15; 0 E@0:4; 5 C@2:3; 5 I?; 10 C@2:15; 15 C@2:1; 20 A@2:12; 30 B-; 30 K@1:1; 40 B@1:15; "
           "50 F@0:1; 60 H@0:2; 70 F@0:1; 80 H!; 111 D@0:1");
    s->options.costs = "start=1s,save=2s,restore=3s,resize=4s,checkpoint=10s";
    return s;
}

orr_text scene_run(stage *s)
{
    orr_log_sink *sink = orr_log_sink_create(NULL, "all", NULL);
    s->also = orr_log_sink_sink(sink);
    if (stage_open(s) == ORR_OK)
        (void)!orr_sim_run(s->sim, &s->error);
    if (!s->sim)
        fail_msg("%s", s->error.message);
    stage_destroy(s);
    return orr_log_sink_take(sink);
}

orr_text scene_log(void)
{
    return scene_run(scene_stage());
}
