/* Replays a trace under each policy named and prints what it cost. A process a policy, so that the peak memory is its
 * own.
 *
 * usage: bench_replay [--vcs=ignore] TRACE CLUSTER POLICY...
 * e.g.   bench_replay traces/philly-2k.csv nodes=8,gpus=8 fifo srtf tiresias
 * Bytes a job are the peak beyond that of the empty process, trace and results included.
 */
#define _POSIX_C_SOURCE 200809L

#include <orrery/orrery.h>

#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static double cpu_seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static long peak_kib(void)
{
    struct rusage use;
    getrusage(RUSAGE_SELF, &use);
    return use.ru_maxrss;
}

static int complain(const orr_error *e)
{
    char text[2048];
    orr_error_format(e, text, sizeof text);
    fputs(text, stderr);
    return 1;
}

typedef struct cost {
    double read, run; /* CPU seconds */
    long before_kib;  /* peak memory of the empty process */
} cost;

static void print_row(const char *policy, const orr_sim *sim, const orr_metrics *m, cost c)
{
    orr_sim_counts n = orr_sim_count(sim);
    printf("%-24s %9.3f %9.3f %12.0f %12.0f %9.1f %9.0f %12.0f %10llu %8llu\n", policy, c.read, c.run,
           (double)n.events / c.run, (double)n.trace / c.run, (double)peak_kib() / 1024,
           (double)(peak_kib() - c.before_kib) * 1024 / (double)n.trace, m->jct.mean, (unsigned long long)n.decisions,
           (unsigned long long)n.preemptions);
}

static int run(const orr_trace *trace, const orr_cluster_spec *cluster, const orr_sim_options *options, cost c)
{
    orr_error e = {0};
    orr_collector *collector = orr_collector_create(NULL);
    orr_sink sink = orr_collector_sink(collector);
    double start = cpu_seconds();
    orr_sim *sim = orr_sim_create(trace, cluster, options, &sink, &e);
    int status = 0;
    if (!sim || orr_sim_run(sim, &e))
        status = complain(&e);
    if (sim) {
        size_t count;
        const orr_metrics *m = orr_collector_finish(collector, sim, &count);
        c.run = cpu_seconds() - start;
        print_row(options->policy, sim, m, c);
    }
    orr_sim_destroy(sim);
    orr_collector_destroy(collector);
    return status;
}

static int replay(const char *trace_path, const char *cluster_text, const orr_sim_options *options)
{
    orr_error e = {0};
    cost c = {.before_kib = peak_kib()};
    double start = cpu_seconds();
    orr_trace *trace = orr_trace_read(trace_path, NULL, &e);
    orr_cluster_spec *cluster = trace ? orr_cluster_spec_load(cluster_text, NULL, &e) : NULL;
    c.read = cpu_seconds() - start;
    int status = cluster ? run(trace, cluster, options, c) : complain(&e);
    orr_cluster_spec_destroy(cluster);
    orr_trace_destroy(trace);
    return status;
}

static int in_a_process(const char *trace_path, const char *cluster_text, const orr_sim_options *options)
{
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
        int status = replay(trace_path, cluster_text, options);
        fflush(stdout);
        _exit(status);
    }
    int status = 1;
    if (child < 0 || waitpid(child, &status, 0) < 0)
        return 1;
    return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}

int main(int argc, char **argv)
{
    orr_sim_options options = orr_sim_options_default();
    int first = 1;
    if (argc > 1 && strcmp(argv[1], "--vcs=ignore") == 0) {
        options.ignore_vcs = true;
        first = 2;
    }
    if (argc < first + 3) {
        fprintf(stderr, "usage: bench_replay [--vcs=ignore] TRACE CLUSTER POLICY...\n");
        return 64;
    }
    printf("%-24s %9s %9s %12s %12s %9s %9s %12s %10s %8s\n", "policy", "read s", "run s", "events/s", "jobs/s",
           "peak MiB", "bytes/job", "jct.mean s", "decisions", "preempt");
    int status = 0;
    for (int i = first + 2; i < argc; i++) {
        options.policy = argv[i];
        status |= in_a_process(argv[first], argv[first + 1], &options);
    }
    return status;
}
