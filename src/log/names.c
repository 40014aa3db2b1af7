/* What records are called, and small facts about them. */
#include "log/log.h"

const char *orr_log_kind_name(orr_log_kind kind)
{
    static const char *const names[ORR_LOG_KINDS] = {"none",    "submit",  "reject",  "decide", "start",  "resize",
                                                     "migrate", "preempt", "saved",   "retry",  "finish", "stop",
                                                     "reshare", "speed",   "node",    "interrupt"};
    return names[kind < ORR_LOG_KINDS ? kind : ORR_LOG_NONE];
}

const char *orr_log_ending_name(orr_log_ending ending)
{
    static const char *const names[ORR_LOG_ENDINGS] = {"done", "failed", "killed"};
    return names[ending < ORR_LOG_ENDINGS ? ending : ORR_LOG_DONE];
}

const char *orr_log_stop_name(orr_log_stop stop)
{
    static const char *const names[ORR_LOG_STOPS] = {"none",  "drained",     "horizon", "stalled",
                                                     "limit", "interrupted", "error"};
    return names[stop < ORR_LOG_STOPS ? stop : ORR_LOG_GOES_ON];
}

bool orr_log_has_job(orr_log_kind kind)
{
    return kind != ORR_LOG_DECIDE && kind != ORR_LOG_STOP && kind != ORR_LOG_NODE;
}

bool orr_log_is_grant(orr_log_kind kind)
{
    return kind == ORR_LOG_START || kind == ORR_LOG_RESIZE || kind == ORR_LOG_MIGRATE || kind == ORR_LOG_RESHARE;
}

static int32_t gpus_of(const orr_log_slice *slice)
{
    int32_t gpus = 0;
    for (uint64_t m = slice->gpus; m; m &= m - 1)
        gpus++;
    return gpus;
}

int32_t orr_log_gpus(const orr_log_record *record)
{
    int32_t gpus = 0;
    for (int32_t i = 0; i < record->slice_count; i++)
        gpus += gpus_of(&record->slices[i]);
    return gpus;
}

int64_t orr_log_milli(const orr_log_record *record)
{
    int64_t milli = 0;
    for (int32_t i = 0; i < record->slice_count; i++)
        milli += (int64_t)gpus_of(&record->slices[i]) * record->slices[i].milli;
    return milli;
}

int64_t orr_log_node_count(const orr_log_header *header)
{
    int64_t count = 0;
    for (size_t i = 0; i < header->node_runs; i++)
        count += header->nodes[i].count;
    return count;
}

static void add_node_name(const orr_log_header *header, int32_t node, orr_text *out)
{
    int64_t before = 0;
    for (size_t i = 0; i < header->node_runs; before += header->nodes[i++].count)
        if (node < before + header->nodes[i].count && header->nodes[i].name[0]) {
            orr_text_addf(out, "%s", header->nodes[i].name);
            return;
        } else if (node < before + header->nodes[i].count) {
            break;
        }
    orr_text_addf(out, "node%d", node);
}

static void add_gpus(uint64_t gpus, orr_text *out)
{
    const char *join = ":";
    for (int i = 0; i < ORR_LOG_MAX_GPUS; i++) {
        if (!(gpus >> i & 1))
            continue;
        int last = i;
        while (last + 1 < ORR_LOG_MAX_GPUS && gpus >> (last + 1) & 1)
            last++;
        orr_text_addf(out, last > i ? "%s%d-%d" : "%s%d", join, i, last);
        join = "+";
        i = last;
    }
}

void orr_log_slices_text(const orr_log_header *header, const orr_log_record *record, orr_text *out)
{
    for (int32_t i = 0; i < record->slice_count; i++) {
        if (i)
            orr_text_add(out, ";", 1);
        add_node_name(header, record->slices[i].node, out);
        add_gpus(record->slices[i].gpus, out);
        if (record->slices[i].milli != 1000)
            orr_text_addf(out, "@%d", record->slices[i].milli);
    }
}
