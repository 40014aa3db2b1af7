#include "model/host.h"

#include <math.h>

const char *orr_host_flaw(const orr_host_point *p, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        if (!(p[i].cpus >= 0 && p[i].mem >= 0 && p[i].speed > 0 && isfinite(p[i].speed)))
            return "cores and memory can't be negative, and a speed is greater than 0";
        if (i == 0)
            continue;
        bool same_row = p[i].cpus == p[i - 1].cpus;
        if (p[i].cpus < p[i - 1].cpus || (same_row && p[i].mem <= p[i - 1].mem))
            return "points ascend by cores, then by memory";
        if (same_row && p[i].speed < p[i - 1].speed)
            return "more memory can't make it slower";
    }
    return NULL;
}

/* On the line from (x0, y0) to (x1, y1), exact at x0. */
static double between(double x, double x0, double y0, double x1, double y1)
{
    return y0 + (y1 - y0) * ((x - x0) / (x1 - x0));
}

/* Speed by memory of the row p[0..n). */
static double along_row(const orr_host_point *p, size_t n, double mem)
{
    if (mem < p[0].mem)
        return p[0].speed * (mem / p[0].mem);
    size_t i = 0;
    while (i + 1 < n && p[i + 1].mem <= mem)
        i++;
    if (i + 1 == n)
        return p[i].speed;
    return between(mem, p[i].mem, p[i].speed, p[i + 1].mem, p[i + 1].speed);
}

static size_t row_end(const orr_profile *f, size_t from)
{
    size_t end = from + 1;
    while (end < f->host_points && f->host[end].cpus == f->host[from].cpus)
        end++;
    return end;
}

double orr_host_speed(const orr_profile *f, double cpus, double mem)
{
    if (!f || !f->host_points)
        return 1;
    double last_cpus = 0, last = 0; /* of the row before */
    for (size_t from = 0, end; from < f->host_points; from = end) {
        end = row_end(f, from);
        double here = f->host[from].cpus, speed = fmax(along_row(f->host + from, end - from, mem), last);
        if (cpus < here)
            return from ? between(cpus, last_cpus, last, here, speed) : speed * (cpus / here);
        last_cpus = here;
        last = speed;
    }
    return last;
}

/* Of an amount for `gpus` GPUs what one has; all it likes where none is stated or the node doesn't count it. */
static double of_one(double amount, int gpus, bool counted)
{
    return counted && amount > 0 ? amount / gpus : INFINITY;
}

double orr_host_rate(const orr_cluster *c, const orr_job *job)
{
    if (!job->profile || !job->profile->host_points)
        return 1;
    double rate = INFINITY;
    for (int32_t i = 0; i < job->held.count; i++) {
        const orr_slice *s = &orr_slices(&job->held)[i];
        const orr_node_spec *node = c->nodes[s->node].spec;
        int gpus = orr_bit_count(s->gpus);
        if (gpus == 0)
            continue;
        orr_share share = orr_job_slice_share(job, s);
        double cpus = of_one((double)share.cpu_milli / 1000, gpus, node->cpus > 0);
        double mem = of_one((double)share.mem, gpus, node->mem_bytes > 0);
        /* nothing is stated of either: it is as it was recorded */
        bool stated = isfinite(cpus) || isfinite(mem);
        rate = fmin(rate, stated ? orr_host_speed(job->profile, cpus, mem) : 1);
    }
    return isfinite(rate) ? rate : 1;
}

orr_host_need orr_host_needs(const orr_profile *f, double part)
{
    if (!f || !f->host_points)
        return (orr_host_need){0};
    double enough = part * orr_host_speed(f, INFINITY, INFINITY);
    for (size_t i = 0; i < f->host_points; i++)
        if (orr_host_speed(f, f->host[i].cpus, f->host[i].mem) >= enough)
            return (orr_host_need){f->host[i].cpus, f->host[i].mem};
    const orr_host_point *last = &f->host[f->host_points - 1]; /* `part` is more than 1 */
    return (orr_host_need){last->cpus, last->mem};
}
