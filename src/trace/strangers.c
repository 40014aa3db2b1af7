/* Tables that lie beside public traces and get named in their place: what they are, told by their header. The error is
 * that there is no job in them, since their format is known. */
#include "trace/reader.h"

typedef struct stranger {
    const char *columns[2]; /* both are in the header; the second may be NULL */
    const char *what, *hint;
} stranger;

static const stranger strangers[] = {
    {{"num_switch", "num_gpu_p_node"}, "a cluster of the Tiresias simulator, not a trace",
     "name it as the cluster: -c FILE"},
    {{"placement", "local_bsz"}, "measurements of the Pollux simulator, not a trace",
     "a workload gets its durations from their folder: --tables FOLDER"},
    {{"num_replicas", "local_bsz"}, "measurements of the Pollux simulator, not a trace",
     "a workload gets its durations from their folder: --tables FOLDER"},
    {{"grad_sqr", "grad_var"}, "measurements of the Pollux simulator, not a trace",
     "a workload gets its durations from their folder: --tables FOLDER"},
    {{"global_batch_size"}, "throughputs of the ElasticFlow simulator, not a trace", NULL},
    {{"gpu_model", "gpu_capacity_num"}, "the nodes of Alibaba's spot cluster: a cluster, not a trace",
     "the jobs are in job_info_df.csv"},
    {{"job_num", "gpu_job_num"}, "sums over whole traces, a row each, not a trace", NULL},
    {{"timestamp_anon", "value"}, "metrics of Alibaba's generative serving, sampled over time, not requests",
     "the requests of that release are in lora_request_trace.csv"},
    {{"num_tensors", "tensors_mb"}, "sizes of models, not a trace", NULL},
};

/* What a header of this one column stands for: the Tiresias simulator learns from past durations. */
static bool durations_alone(const orr_head *head)
{
    return orr_same_word(head->line, "duration");
}

orr_err orr_head_stranger(const orr_head *head, orr_error *e)
{
    for (size_t i = 0; i < sizeof strangers / sizeof *strangers; i++) {
        const stranger *s = &strangers[i];
        if (!orr_head_has(head, s->columns[0]) || (s->columns[1] && !orr_head_has(head, s->columns[1])))
            continue;
        orr_error_set(e, ORR_E_NO_JOBS, "the file holds %s", s->what);
        if (s->hint)
            orr_error_hint(e, "%s", s->hint);
        return ORR_E_NO_JOBS;
    }
    if (durations_alone(head))
        return orr_error_set(e, ORR_E_NO_JOBS, "a list of durations without submissions: there is no job in it");
    return ORR_OK;
}
