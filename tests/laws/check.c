#include "check.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct proof {
    const world *w;
    const stage *s;
    const rules *r;
    const orr_trace_job *jobs; /* by rank */
    char *text;
} proof;

static const char *broken(const proof *p, const char *fmt, ...) ORR_PRINTF(2, 3);
static const char *broken(const proof *p, const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    vsnprintf(p->text, CHECK_TEXT, fmt, args);
    va_end(args);
    return p->text;
}

static int bits_of(uint64_t mask)
{
    int n = 0;
    for (; mask; mask &= mask - 1)
        n++;
    return n;
}

static int64_t part_of(int64_t whole, int32_t gpus, int32_t of)
{
    return (whole * gpus + of - 1) / of;
}

/* ---- one hold ---------------------------------------------------------------------------------------------------- */

/* The VC that the job counts as; NULL: none. */
static const char *vc_of(const proof *p, const orr_trace_job *job)
{
    bool some = false, common = false, known = false;
    for (int i = 0; i < p->w->node_count; i++) {
        some |= p->w->nodes[i].vc[0] != '\0';
        common |= p->w->nodes[i].vc[0] == '\0';
        known |= strcmp(p->w->nodes[i].vc, job->vc) == 0;
    }
    if (!some) /* one pool: a VC is a label */
        return "";
    if (known)
        return job->vc;
    return common && !p->s->options.reject_unknown_vc ? "" : NULL;
}

/* A type of the list "A|B", which may be empty: any. */
static bool is_one_of(const char *type, const char *list)
{
    size_t n = strlen(type);
    for (const char *at = list; *at; at += *at == '|') {
        size_t length = strcspn(at, "|");
        if (length == n && strncmp(at, type, n) == 0)
            return true;
        at += length;
    }
    return !*list;
}

static const stage_record *record_of(const proof *p, uint32_t rank)
{
    for (size_t i = 0; i < p->s->record_count; i++)
        if (strcmp(p->s->records[i].id, p->jobs[rank].id) == 0)
            return &p->s->records[i];
    return NULL;
}

static const char *check_slice(const proof *p, const orr_trace_job *job, const orr_slice *slice)
{
    if (slice->node < 0 || slice->node >= p->w->node_count)
        return broken(p, "%s is on node %d, which doesn't exist", job->id, slice->node);
    const orr_node_spec *n = &p->w->nodes[slice->node];
    uint64_t all = ((uint64_t)1 << n->gpus) - 1;
    const char *vc = vc_of(p, job);
    if (!slice->gpus || (slice->gpus & ~all))
        return broken(p, "%s holds GPUs %llx of node %d", job->id, (unsigned long long)slice->gpus, slice->node);
    if (!is_one_of(n->gpu_type, job->gpu_type))
        return broken(p, "%s asks for %s and is on %s", job->id, job->gpu_type, n->gpu_type);
    if (!p->r->any_vc && (!vc || strcmp(vc, n->vc) != 0))
        return broken(p, "%s of VC '%s' is on a node of '%s'", job->id, job->vc, n->vc);
    return NULL;
}

static const char *check_hold(const proof *p, const stage_hold *h)
{
    const orr_trace_job *job = &p->jobs[h->job];
    int gpus = 0;
    for (int32_t i = 0; i < h->slice_count; i++) {
        const char *wrong = check_slice(p, job, &h->slices[i]);
        for (int32_t k = 0; k < i && !wrong; k++)
            if (h->slices[k].node == h->slices[i].node)
                wrong = broken(p, "%s names node %d twice", job->id, h->slices[i].node);
        if (wrong)
            return wrong;
        gpus += bits_of(h->slices[i].gpus);
    }
    if (gpus != h->gpus || gpus < job->min_gpus || gpus > job->max_gpus)
        return broken(p, "%s holds %d GPUs of its gang of %d", job->id, gpus, job->gpus);
    const stage_record *rec = record_of(p, h->job);
    if ((rec && h->start < rec->submit) || h->end < h->start || h->overhead < 0 || h->overhead > h->end - h->start)
        return broken(p, "%s holds from %lld to %lld ns, %lld of it overhead", job->id, (long long)h->start,
                      (long long)h->end, (long long)h->overhead);
    if (h->reason == ORR_HOLD_PREEMPTED && !job->preemptible)
        return broken(p, "%s was preempted and must not be", job->id);
    return NULL;
}

/* ---- all holds together ------------------------------------------------------------------------------------------ */

static bool overlap(const stage_hold *a, const stage_hold *b)
{
    orr_time start = a->start > b->start ? a->start : b->start, end = a->end < b->end ? a->end : b->end;
    if (a->start == a->end) /* no length: inside the other? */
        return b->start < a->start && a->start < b->end;
    if (b->start == b->end)
        return a->start < b->start && b->start < a->end;
    return start < end;
}

static bool share_gpus(const stage_hold *a, const stage_hold *b)
{
    for (int32_t i = 0; i < a->slice_count; i++)
        for (int32_t k = 0; k < b->slice_count; k++)
            if (a->slices[i].node == b->slices[k].node && (a->slices[i].gpus & b->slices[k].gpus))
                return true;
    return false;
}

static const char *check_overlaps(const proof *p)
{
    const stage_hold *h = p->s->holds;
    for (size_t i = 0; i < p->s->hold_count; i++)
        for (size_t k = 0; k < i; k++) {
            if (!overlap(&h[i], &h[k]))
                continue;
            if (h[i].job == h[k].job)
                return broken(p, "%s runs twice at %lld ns", p->jobs[h[i].job].id, (long long)h[i].start);
            if (share_gpus(&h[i], &h[k]))
                return broken(p, "%s and %s hold one GPU at %lld ns", p->jobs[h[i].job].id, p->jobs[h[k].job].id,
                              (long long)(h[i].start > h[k].start ? h[i].start : h[k].start));
        }
    return NULL;
}

/* Cores and memory go when the job is preempted; its GPUs stay until it has saved. */
static bool uses_at(const proof *p, const stage_hold *h, orr_time at)
{
    orr_time end = h->reason == ORR_HOLD_PREEMPTED ? h->end - p->r->save : h->end;
    return h->start <= at && at < end;
}

static const char *check_ledgers_at(const proof *p, orr_time at)
{
    int64_t cpus[WORLD_NODES] = {0}, mem[WORLD_NODES] = {0};
    for (size_t i = 0; i < p->s->hold_count; i++) {
        const stage_hold *h = &p->s->holds[i];
        const orr_trace_job *job = &p->jobs[h->job];
        for (int32_t k = 0; k < h->slice_count && uses_at(p, h, at); k++) {
            const orr_slice *s = &h->slices[k]; /* a policy may give others than the job asks */
            cpus[s->node] += s->cpu_milli ? s->cpu_milli : part_of(job->cpu_milli, bits_of(s->gpus), job->gpus);
            mem[s->node] += s->mem ? s->mem : part_of(job->mem_bytes, bits_of(s->gpus), job->gpus);
        }
    }
    for (int i = 0; i < p->w->node_count; i++) {
        const orr_node_spec *n = &p->w->nodes[i];
        if ((n->cpus && cpus[i] > 1000 * n->cpus) || (n->mem_bytes && mem[i] > n->mem_bytes))
            return broken(p, "node %d gives %lld/1000 of %d cores, %lld of %lld bytes at %lld ns", i,
                          (long long)cpus[i], n->cpus, (long long)mem[i], (long long)n->mem_bytes, (long long)at);
    }
    return NULL;
}

static const char *check_ledgers(const proof *p)
{
    const char *wrong = NULL;
    if (!p->w->nodes[0].cpus) /* all nodes model cores, or none */
        return NULL;
    for (size_t i = 0; i < p->s->hold_count && !wrong; i++)
        wrong = check_ledgers_at(p, p->s->holds[i].start);
    return wrong;
}

/* ---- one job ----------------------------------------------------------------------------------------------------- */

/* How many of its GPUs an empty node could give it. */
static int32_t room(const orr_trace_job *job, const orr_node_spec *n)
{
    if (!is_one_of(n->gpu_type, job->gpu_type))
        return 0;
    int32_t k = n->gpus < job->gpus ? n->gpus : job->gpus;
    while (k > 0 && ((n->cpus && part_of(job->cpu_milli, k, job->gpus) > 1000 * n->cpus) ||
                     (n->mem_bytes && part_of(job->mem_bytes, k, job->gpus) > n->mem_bytes)))
        k--;
    return k;
}

/* 1: it can run on an empty cluster; 0: it can't; -1: that depends on the placer. */
static int feasible(const proof *p, const orr_trace_job *job)
{
    const char *vc = vc_of(p, job);
    int32_t sum = 0, most = 0;
    if (!vc)
        return 0;
    for (int i = 0; i < p->w->node_count; i++) {
        if (!p->r->any_vc && strcmp(p->w->nodes[i].vc, vc) != 0)
            continue;
        int32_t k = room(job, &p->w->nodes[i]);
        sum += k;
        most = k > most ? k : most;
    }
    if (sum < job->gpus)
        return 0;
    return most >= job->gpus || p->r->splits ? 1 : -1;
}

static const char *check_fate(const proof *p, const orr_trace_job *job, const stage_record *rec)
{
    static const orr_job_state states[] = {ORR_JOB_DONE, ORR_JOB_FAILED, ORR_JOB_KILLED};
    bool rejected = rec->state == ORR_JOB_REJECTED;
    int can = feasible(p, job);
    bool by_rule = strcmp(rec->reason, "not-admitted") == 0 || strcmp(rec->reason, "no-room") == 0; /* edf; drop */
    if (can >= 0 && rejected != !can && !by_rule)
        return broken(p, "%s %s run and is %s (%s)", job->id, can ? "can" : "can't", orr_job_state_name(rec->state),
                      rec->reason);
    if (rejected)
        return rec->reason[0] && rec->held == 0 && rec->starts == 0 && rec->first_start == ORR_TIME_NONE
                   ? NULL : broken(p, "%s was rejected and has a past", job->id);
    if (rec->state != states[job->ending])
        return broken(p, "%s ended as %s", job->id, orr_job_state_name(rec->state));
    return NULL;
}

typedef struct sums {
    orr_time held, overhead, first, last;
    int64_t service, paid; /* the same in GPU-ns */
    int holds, preempted, retried;
} sums;

static sums sum_up(const proof *p, uint32_t rank)
{
    sums t = {.first = ORR_TIME_NONE, .last = ORR_TIME_NONE};
    for (size_t i = 0; i < p->s->hold_count; i++) {
        const stage_hold *h = &p->s->holds[i];
        if (h->job != rank)
            continue;
        t.held += h->end - h->start;
        t.overhead += h->overhead;
        t.service += (h->end - h->start) * h->gpus;
        t.paid += h->overhead * h->gpus;
        t.first = t.first == ORR_TIME_NONE ? h->start : t.first;
        t.last = h->end;
        t.holds += h->reason != ORR_HOLD_RESHARED; /* that one goes on with other cores or memory */
        t.preempted += h->reason == ORR_HOLD_PREEMPTED;
        t.retried += h->reason == ORR_HOLD_RETRIED;
    }
    return t;
}

static bool close_to(double a, int64_t gpu_ns)
{
    double b = (double)gpu_ns / 1e9, d = a - b;
    return (d < 0 ? -d : d) <= 1e-12 * (b > 1 ? b : 1);
}

/* It came when the record says, or when all that it waits for had ended and it had thought; what ran at 0 waits for
 * nobody. */
static const char *check_submission(const proof *p, const orr_trace_job *job, const stage_record *rec)
{
    orr_time due = job->submit;
    bool follows = job->after_count > 0 && job->ran == ORR_TIME_NONE;
    for (uint32_t i = 0; follows && i < job->after_count; i++) {
        const stage_record *before = record_of(p, job->after[i].job);
        orr_time end = before ? before->end + job->think : ORR_TIME_MAX;
        due = i == 0 || end > due ? end : due;
    }
    if (p->r->tick)
        due = orr_time_ceil(due, p->r->tick);
    if (rec->submit == due)
        return NULL;
    return broken(p, "%s came at %lld ns, not at %lld", job->id, (long long)rec->submit, (long long)due);
}

static const char *check_job(const proof *p, uint32_t rank, const stage_record *rec)
{
    const orr_trace_job *job = &p->jobs[rank];
    sums t = sum_up(p, rank);
    const char *wrong = check_submission(p, job, rec);
    if (!wrong)
        wrong = check_fate(p, job, rec);
    if (wrong || rec->state == ORR_JOB_REJECTED)
        return wrong;
    const int64_t lost = (int64_t)(rec->lost_work * 1e9 + 0.5), work = t.service - t.paid - lost;
    const int64_t rounding = job->min_gpus < job->max_gpus ? 2 * (t.holds + 1) * job->max_gpus : job->gpus / 2;
    const int64_t slack = p->r->tick * job->attempt_count * job->max_gpus, asked = job->duration * job->gpus;
    if (work < asked - rounding || work > asked + slack + rounding)
        return broken(p, "%s: held %lld - overhead %lld - lost %lld is not its work of %lld GPU-ns", job->id,
                      (long long)t.service, (long long)t.paid, (long long)lost, (long long)asked);
    if (rec->first_start != t.first || rec->end != t.last || rec->held != t.held)
        return broken(p, "%s: its record and its holds differ", job->id);
    if (!close_to(rec->service, t.service) || !close_to(rec->overhead, t.paid))
        return broken(p, "%s: service %g, overhead %g", job->id, rec->service, rec->overhead);
    bool exact = p->r->save == 0; /* while others save, one may leave before it got what it was given */
    int begun = rec->starts + rec->migrations + rec->resizes;
    if (rec->resizes && job->min_gpus == job->max_gpus)
        return broken(p, "%s was resized %d times and must not be", job->id, rec->resizes);
    if (rec->attempts != (int)job->attempt_count || t.retried != (int)job->attempt_count - 1 || begun < t.holds ||
        rec->preemptions < t.preempted || (exact && (begun != t.holds || rec->preemptions != t.preempted)))
        return broken(
            p, "%s: %d starts, %d migrations, %d preemptions, %d attempts; %d holds, %d preempted, %d retried", job->id,
            rec->starts, rec->migrations, rec->preemptions, rec->attempts, t.holds, t.preempted, t.retried);
    return NULL;
}

/* ---- the whole --------------------------------------------------------------------------------------------------- */

static const char *check_counts(const proof *p)
{
    orr_sim_counts c = orr_sim_count(p->s->sim);
    size_t n = orr_trace_count(p->s->trace);
    if (c.submitted != n || c.done + c.failed + c.killed + c.rejected != n || p->s->record_count != n ||
        c.running_at_end || c.queued_at_end || c.violations)
        return broken(p, "%zu jobs: %llu done, %llu failed, %llu killed, %llu rejected, %zu reported, %llu violations",
                      n, (unsigned long long)c.done, (unsigned long long)c.failed, (unsigned long long)c.killed,
                      (unsigned long long)c.rejected, p->s->record_count, (unsigned long long)c.violations);
    const orr_levels *l = &p->s->last;
    if (l->milli_held || l->milli_busy || l->jobs_queued || l->milli_queued || l->jobs_running)
        return broken(p, "at the end %lld GPUs are held and %lld jobs queued", (long long)l->milli_held,
                      (long long)l->jobs_queued);
    return NULL;
}

/* Who ran at 0 and may run here held GPUs from then on, unpaid for, or is counted as displaced. */
static const char *check_start_state(const proof *p)
{
    orr_sim_counts c = orr_sim_count(p->s->sim);
    uint64_t ran = 0, there = 0;
    for (uint32_t i = 0; i < orr_trace_count(p->s->trace); i++) {
        const stage_record *rec = record_of(p, i);
        if (p->jobs[i].ran == ORR_TIME_NONE || !rec)
            continue;
        if (rec->state == ORR_JOB_REJECTED && strcmp(rec->reason, "no-room") != 0) /* that one was displaced before */
            continue;
        ran++;
        there += rec->first_start == 0;
    }
    return c.resumed + c.displaced == ran && there >= c.resumed && (there || !ran)
               ? NULL
               : broken(p, "%llu ran at 0, %llu of them do; %llu resumed, %llu displaced", (unsigned long long)ran,
                        (unsigned long long)there, (unsigned long long)c.resumed, (unsigned long long)c.displaced);
}

/* Whoever keeps at least one job running while any is there ends by then. */
static const char *check_makespan(const proof *p)
{
    orr_time bound = 0, end = 0;
    size_t n = orr_trace_count(p->s->trace);
    for (size_t i = 0; i < n; i++)
        bound += p->jobs[i].duration + p->jobs[i].think;
    bound += n ? p->jobs[n - 1].submit : 0;
    for (size_t i = 0; i < p->s->record_count; i++)
        end = p->s->records[i].end > end ? p->s->records[i].end : end;
    if (p->r->work_conserving && end > bound)
        return broken(p, "it ends at %lld ns, %lld would do", (long long)end, (long long)bound);
    return NULL;
}

/* What happens to jobs asks for decisions, and foresight for a few more; not by the thousand. */
static const char *check_calm(const proof *p)
{
    orr_sim_counts c = orr_sim_count(p->s->sim);
    uint64_t happened = 2 * c.submitted + 2 * c.retries + 2 * c.preemptions;
    if (p->r->calm && c.decisions > 10 * happened)
        return broken(p, "%llu decisions for %llu jobs, %llu retries, %llu preemptions",
                      (unsigned long long)c.decisions, (unsigned long long)c.submitted, (unsigned long long)c.retries,
                      (unsigned long long)c.preemptions);
    return NULL;
}

const char *check_schedule(const world *w, const stage *s, const rules *r, char text[CHECK_TEXT])
{
    const proof p = {.w = w, .s = s, .r = r, .jobs = orr_trace_jobs(s->trace), .text = text};
    const char *wrong = check_calm(&p);
    if (!wrong)
        wrong = check_counts(&p);
    for (size_t i = 0; i < s->hold_count && !wrong; i++)
        wrong = check_hold(&p, &s->holds[i]);
    if (!wrong)
        wrong = check_overlaps(&p);
    if (!wrong)
        wrong = check_ledgers(&p);
    if (!wrong)
        wrong = check_start_state(&p);
    for (uint32_t rank = 0; rank < orr_trace_count(s->trace) && !wrong; rank++)
        wrong = check_job(&p, rank, record_of(&p, rank));
    return wrong ? wrong : check_makespan(&p);
}
