/* What is kept of a job is enough to add a run in any order, save one thing: whether two runs overlap. That is sure
 * only if they add up to more than the time between the first start and the last end, so only that is counted. */
#include "trace/runs.h"

static bool is_last(const orr_trace_job *job, const orr_trace_job *run)
{
    if (run->start == ORR_TIME_NONE || job->start == ORR_TIME_NONE)
        return true; /* the order of the file is all there is */
    if (job->end == ORR_TIME_NONE)
        return run->start >= job->start;
    return run->end == ORR_TIME_NONE || run->end >= job->end;
}

static bool overlaps(const orr_trace_job *job)
{
    return job->start != ORR_TIME_NONE && job->end != ORR_TIME_NONE && job->duration > job->end - job->start;
}

/* A copy with room for one more; `single`: what the job is so far if it has no list. */
static orr_time *one_more(orr_intake *k, const orr_time *times, uint32_t n, orr_time single)
{
    orr_time *copy = orr_arena_alloc(&k->trace->arena, (n + 1) * sizeof *copy);
    if (times)
        memcpy(copy, times, n * sizeof *copy);
    else
        copy[0] = single;
    return copy;
}

static void put(orr_time *times, uint32_t n, uint32_t at, orr_time value)
{
    memmove(times + at + 1, times + at, (n - at) * sizeof *times);
    times[at] = value;
}

/* Starts are kept only if all are known. */
static void add_attempt(orr_intake *k, orr_trace_job *job, const orr_trace_job *run)
{
    const uint32_t n = job->attempt_count;
    const bool first = job->attempts == NULL;
    uint32_t at = n;
    orr_time *attempts = one_more(k, job->attempts, n, job->duration), *starts = NULL;
    if (run->start != ORR_TIME_NONE && (job->starts || (first && job->start != ORR_TIME_NONE))) {
        starts = one_more(k, job->starts, n, job->start);
        while (at > 0 && starts[at - 1] > run->start)
            at--;
        put(starts, n, at, run->start);
    }
    put(attempts, n, at, run->duration);
    job->attempts = attempts;
    job->starts = starts;
    job->attempt_count = n + 1;
}

/* `by`: what the run adds to the duration. */
static void extend(orr_intake *k, orr_trace_job *job, const orr_trace_job *run, orr_time by)
{
    if (is_last(job, run)) {
        job->end = run->end;
        job->ending = run->ending;
        job->censored = run->censored;
    }
    if (job->start == ORR_TIME_NONE || (run->start != ORR_TIME_NONE && run->start < job->start))
        job->start = run->start;
    if (run->submit < job->submit) {
        job->submit = run->submit;
        k->trace->unsorted = true;
    }
    k->first = job->submit < k->first ? job->submit : k->first;
    job->duration += by;
}

static orr_flaw flaw_of_run(const orr_trace_job *job, const orr_trace_job *run, orr_time by)
{
    orr_trace_job alone = *run;
    alone.min_gpus = alone.max_gpus = alone.gpus;
    const orr_flaw flaw = orr_flaw_of(&alone);
    if (flaw)
        return flaw;
    return by > ORR_TRACE_TIME_LIMIT - job->duration ? ORR_FLAW_TIME_RANGE : ORR_FLAW_NONE;
}

void orr_intake_add_run(orr_intake *k, size_t place, const orr_trace_job *run)
{
    orr_trace_job *job = &k->trace->jobs.at[place];
    const orr_flaw flaw = flaw_of_run(job, run, run->duration);
    if (flaw) {
        orr_intake_flaw(k, flaw, NULL);
        return;
    }
    if (run->gpus != job->gpus)
        orr_intake_flaw(k, ORR_FLAW_GPUS_DIFFER, NULL);
    const bool did = overlaps(job);
    if (k->options->replay_attempts)
        add_attempt(k, job, run);
    extend(k, job, run, run->duration);
    if (!did && overlaps(job))
        orr_intake_flaw(k, ORR_FLAW_OVERLAP, NULL);
    orr_intake_flaw(k, ORR_FLAW_MERGED, NULL);
}

static void lengthen_attempt(orr_trace_job *job, orr_time start, orr_time by)
{
    orr_time *attempts = (orr_time *)job->attempts; /* the trace's own copy */
    for (uint32_t i = 0; job->starts && i < job->attempt_count; i++)
        if (job->starts[i] == start) {
            attempts[i] += by;
            return;
        }
    if (attempts)
        attempts[job->attempt_count - 1] += by;
}

void orr_intake_run_again(orr_intake *k, size_t place, const orr_trace_job *run, orr_time before)
{
    orr_trace_job *job = &k->trace->jobs.at[place];
    const orr_time by = run->duration > before ? run->duration - before : 0;
    const orr_flaw flaw = flaw_of_run(job, run, by);
    if (flaw) {
        orr_intake_flaw(k, flaw, NULL);
        return;
    }
    lengthen_attempt(job, run->start, by);
    if (by || run->duration == before)
        extend(k, job, run, by);
    orr_intake_flaw(k, ORR_FLAW_MERGED, NULL);
}
