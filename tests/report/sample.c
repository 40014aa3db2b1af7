#define _POSIX_C_SOURCE 200809L
#include "sample.h"

#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

/* One path at a time is enough for these tests. */
static char folder[64], path[128];

const char *sample_path(const char *name)
{
    strcpy(folder, "/tmp/orrery-report-XXXXXX");
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return path;
}

char *sample_read(const char *from)
{
    FILE *f = fopen(from, "rb");
    if (!f)
        fail_msg("%s is absent", from);
    orr_text text = {0};
    char buf[4096];
    for (size_t n; (n = fread(buf, 1, sizeof buf, f)) > 0;)
        orr_text_add(&text, buf, n);
    fclose(f);
    return text.at ? text.at : calloc(1, 1);
}

bool sample_exists(const char *at)
{
    struct stat st;
    return stat(at, &st) == 0;
}

/* Fails if anything but the file is left in the folder. */
void sample_clean(void)
{
    unlink(path);
    assert_int_equal(rmdir(folder), 0);
}

void sample_assert_file(const char *at, const char *want)
{
    char *got = sample_read(at);
    assert_string_equal(got, want);
    free(got);
}

static orr_trace *sample_trace(feed_job *jobs, size_t n)
{
    orr_trace *trace = orr_trace_create("traces/three.csv");
    for (size_t i = 0; i < n; i++) {
        orr_trace_job job = orr_trace_job_default();
        job.id = jobs[i].id;
        job.submit = feed_time(jobs[i].submit);
        job.duration = feed_time(jobs[i].duration);
        job.gpus = job.min_gpus = job.max_gpus = jobs[i].gpus;
        assert_int_equal(orr_trace_add(trace, &job, NULL), ORR_OK);
    }
    assert_int_equal(orr_trace_finish(trace, NULL), ORR_OK);
    return trace;
}

static orr_cluster_spec *sample_cluster(void)
{
    orr_cluster_spec *cluster = orr_cluster_spec_create("tiny");
    orr_node_spec node = orr_node_spec_default();
    node.gpus = 2;
    node.gpu_type = "V100";
    assert_int_equal(orr_cluster_spec_add(cluster, &node, 2, NULL), ORR_OK);
    return cluster;
}

void sample_init(sample *s)
{
    *s = (sample){.options = {.seed = 18446744073709551615u, .policy = "fifo:strict", .until = 30 * ORR_SECOND}};
    s->options.know = ORR_KNOW_ORACLE;
    s->jobs[0] = (feed_job){.id = "A", .gpus = 2, .duration = 20, .first_start = 0, .end = 20, .held = 20, .starts = 1,
                            .state = ORR_JOB_DONE};
    s->jobs[1] = (feed_job){.id = "B", .gpus = 4, .submit = 5, .duration = 10, .first_start = 20, .end = 30, .held = 10,
                            .starts = 1, .state = ORR_JOB_FAILED};
    s->jobs[2] = (feed_job){.id = "C", .gpus = 4, .submit = 10, .duration = 0.1, .first_start = NEVER, .end = NEVER,
                            .state = ORR_JOB_QUEUED};
    s->trace = sample_trace(s->jobs, 3);
    s->cluster = sample_cluster();
    s->collector = orr_collector_create_for(NULL, feed_access());
    feed_jobs(s->collector, s->jobs, 3);
    int64_t gpus = 4;
    orr_run_end end = {.now = 30 * ORR_SECOND, .gpus = 4, .vcs = 1, .vc_gpus = &gpus};
    s->run = (orr_report_run){.trace = s->trace, .cluster = s->cluster, .options = &s->options};
    s->run.metrics = orr_collector_close(s->collector, &end, &s->run.metrics_count);
    s->run.stop = ORR_STOP_HORIZON;
    s->run.end = end.now;
    s->run.used[ORR_Q_SERVICE] = ORR_KNOW_OBSERVED;
    s->run.policy_resolved = "fifo,hol=block+consolidate~oracle";
    s->run.counts = (orr_sim_counts){.trace = 3, .submitted = 3, .done = 1, .failed = 1, .queued_at_end = 1,
                                     .events = 9};
}

void sample_fini(sample *s)
{
    orr_report_run_fini(&s->run);
    orr_collector_destroy(s->collector);
    orr_cluster_spec_destroy(s->cluster);
    orr_trace_destroy(s->trace);
}
