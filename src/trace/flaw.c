/* The list of flaws as data, and the checks that every job record must pass whatever it was read from. */
#include "trace/flaw.h"
#include "trace/store.h"

static const orr_flaw_info flaws[ORR_FLAW_COUNT] = {
#define ORR_X(symbol, kind, code, reason, sentence)                                                                    \
    [ORR_FLAW_##symbol] = {reason, sentence, ORR_NOTE_##kind, ORR_E_##code},
    ORR_FLAWS(ORR_X)
#undef ORR_X
};

const orr_flaw_info *orr_flaw_about(orr_flaw flaw)
{
    return &flaws[flaw];
}

const char *orr_note_kind_name(orr_note_kind kind)
{
    static const char *const names[] = {"drop", "fix", "assume", "warn"};
    return names[kind];
}

static bool too_far(orr_time t)
{
    return t != ORR_TIME_NONE && (t > ORR_TRACE_TIME_LIMIT || t < -ORR_TRACE_TIME_LIMIT);
}

static orr_flaw flaw_of_gpus(const orr_trace_job *job)
{
    if (job->gpus < 0)
        return ORR_FLAW_NEGATIVE_GPUS;
    if (job->gpus > ORR_TRACE_GPUS_LIMIT || job->max_gpus > ORR_TRACE_GPUS_LIMIT)
        return ORR_FLAW_MANY_GPUS;
    if (job->min_gpus < 0 || job->min_gpus > job->gpus || job->max_gpus < job->gpus)
        return ORR_FLAW_GPU_RANGE;
    return job->gpu_milli < 1 || job->gpu_milli > 1000 ? ORR_FLAW_MILLI : ORR_FLAW_NONE;
}

static orr_flaw flaw_of_times(const orr_trace_job *job)
{
    if (too_far(job->start) || too_far(job->end) || too_far(job->think) || too_far(job->ran))
        return ORR_FLAW_TIME_RANGE;
    if (too_far(job->submit) || too_far(job->duration) || too_far(job->limit) || too_far(job->deadline))
        return ORR_FLAW_TIME_RANGE;
    if (job->submit < 0)
        return ORR_FLAW_NEGATIVE_TIME;
    if (job->duration < 0 || (job->limit != ORR_TIME_NONE && job->limit < 0) || job->think < 0 ||
        (job->ran != ORR_TIME_NONE && job->ran < 0))
        return ORR_FLAW_NEGATIVE_DURATION;
    orr_time sum = 0;
    for (uint32_t i = 0; job->attempts && i < job->attempt_count; i++) {
        if (job->attempts[i] < 0)
            return ORR_FLAW_NEGATIVE_DURATION;
        sum = orr_time_add(sum, job->attempts[i]);
    }
    return job->attempts && sum != job->duration ? ORR_FLAW_DURATION : ORR_FLAW_NONE;
}

orr_flaw orr_flaw_of(const orr_trace_job *job)
{
    orr_flaw flaw = flaw_of_gpus(job);
    if (!flaw)
        flaw = flaw_of_times(job);
    if (!flaw && !(job->weight > 0 && job->weight <= 1e300))
        flaw = ORR_FLAW_WEIGHT;
    if (!flaw && (job->cpu_milli < 0 || job->mem_bytes < 0 || job->gpu_mem_bytes < 0))
        flaw = ORR_FLAW_NEGATIVE_HOST;
    return flaw;
}

void orr_flaw_markdown(orr_text *out)
{
    orr_text_addf(out, "| reason | kind | meaning |\n|---|---|---|\n");
    for (int i = ORR_FLAW_NONE + 1; i < ORR_FLAW_COUNT; i++)
        orr_text_addf(out, "| `%s` | %s | %s |\n", flaws[i].reason, orr_note_kind_name(flaws[i].kind),
                      flaws[i].sentence);
}
