/* The kind is the low half of a record's first byte; the high half says which of its rarer members follow. */
#include "log/record.h"

enum { KIND = 15, RATE = 16, MILLI = 32, RESUMED = 64, DELAYED = 128, REASON = 64, ENDING_SHIFT = 4 };

/* What a request has besides the usual. */
enum {
    ELASTIC = 1,
    SHARE = 2,
    CPUS = 4,
    MEM = 8,
    DEADLINE = 16,
    RAN = 32,
    ATTEMPTS = 64,
    AFTER = 128,
    PINNED = 256,
    CENSORED = 512,
    CARRIED = 1024,
    TYPES = 2048,
    NAME = 4096,
    MODEL = 8192,
    ASKED = 16384,
    REQUEST_ENDING = 15
};

/* ---- requests ---- */

static unsigned traits_of(const orr_log_request *r, orr_time at)
{
    return (r->min_gpus != r->gpus || r->max_gpus != r->gpus ? ELASTIC : 0u) | (r->milli != 1000 ? SHARE : 0u) |
           (r->cpus ? CPUS : 0u) | (r->mem ? MEM : 0u) | (r->deadline != ORR_TIME_NONE ? DEADLINE : 0u) |
           (r->ran != ORR_TIME_NONE ? RAN : 0u) | (r->attempts ? ATTEMPTS : 0u) | (r->after_count ? AFTER : 0u) |
           (r->pinned ? PINNED : 0u) | (r->censored ? CENSORED : 0u) | (r->carried ? CARRIED : 0u) |
           (r->types[0] ? TYPES : 0u) | (r->name[0] ? NAME : 0u) | (r->model[0] ? MODEL : 0u) |
           (r->asked != at ? ASKED : 0u) | (unsigned)r->ending << REQUEST_ENDING;
}

static void put_attempts(orr_text *out, const orr_log_request *r)
{
    orr_pack_unsigned(out, r->attempt_count);
    for (uint32_t i = 0; i < r->attempt_count; i++)
        orr_pack_time(out, r->attempts[i]);
}

static void put_after(orr_text *out, const orr_log_request *r)
{
    orr_pack_time(out, r->think);
    orr_pack_unsigned(out, r->after_count);
    for (uint32_t i = 0; i < r->after_count; i++)
        orr_pack_unsigned(out, r->after[i]);
}

static void put_texts(orr_text *out, const orr_log_request *r, unsigned traits)
{
    if (traits & TYPES)
        orr_pack_text(out, r->types);
    if (traits & NAME)
        orr_pack_text(out, r->name);
    if (traits & MODEL)
        orr_pack_text(out, r->model);
}

static void put_rarer(orr_text *out, const orr_log_request *r, unsigned traits)
{
    if (traits & ELASTIC) {
        orr_pack_signed(out, r->min_gpus);
        orr_pack_signed(out, r->max_gpus);
    }
    if (traits & SHARE)
        orr_pack_signed(out, r->milli);
    if (traits & CPUS)
        orr_pack_signed(out, r->cpus);
    if (traits & MEM)
        orr_pack_signed(out, r->mem);
    if (traits & DEADLINE)
        orr_pack_time(out, r->deadline);
    if (traits & RAN)
        orr_pack_time(out, r->ran);
    if (traits & ASKED)
        orr_pack_time(out, r->asked);
    if (traits & ATTEMPTS)
        put_attempts(out, r);
    if (traits & AFTER)
        put_after(out, r);
    put_texts(out, r, traits);
}

static void put_request(orr_text *out, const orr_log_request *r, orr_time at)
{
    const unsigned traits = traits_of(r, at);
    orr_pack_unsigned(out, traits);
    orr_pack_text(out, r->id);
    orr_pack_text(out, r->user);
    orr_pack_text(out, r->vc);
    orr_pack_signed(out, r->pool);
    orr_pack_signed(out, r->gpus);
    orr_pack_time(out, r->duration);
    put_rarer(out, r, traits);
}

static void take_attempts(orr_packed *in, orr_arena *arena, orr_log_request *r)
{
    r->attempt_count = orr_unpack_count(in, 1);
    orr_time *attempts = orr_arena_alloc(arena, (r->attempt_count + 1) * sizeof *attempts);
    for (uint32_t i = 0; i < r->attempt_count; i++) {
        attempts[i] = orr_unpack_time(in);
        in->bad |= attempts[i] < 0;
    }
    r->attempts = attempts;
    in->bad |= r->attempt_count == 0;
}

static uint32_t take_place(orr_packed *in)
{
    const uint64_t place = orr_unpack_unsigned(in);
    in->bad |= place > UINT32_MAX;
    return (uint32_t)place;
}

static void take_after(orr_packed *in, orr_arena *arena, orr_log_request *r)
{
    r->think = orr_unpack_time(in);
    in->bad |= r->think < 0;
    r->after_count = orr_unpack_count(in, 1);
    uint32_t *after = orr_arena_alloc(arena, (r->after_count + 1) * sizeof *after);
    for (uint32_t i = 0; i < r->after_count; i++)
        after[i] = take_place(in);
    r->after = after;
}

static void take_texts(orr_packed *in, orr_arena *arena, orr_log_request *r, uint64_t traits)
{
    r->types = traits & TYPES ? orr_unpack_text(in, arena) : "";
    r->name = traits & NAME ? orr_unpack_text(in, arena) : "";
    r->model = traits & MODEL ? orr_unpack_text(in, arena) : "";
}

static int64_t take_bytes_of_memory(orr_packed *in)
{
    const int64_t bytes = orr_unpack_signed(in);
    in->bad |= bytes < 0;
    return bytes;
}

static void take_rarer(orr_packed *in, orr_arena *arena, orr_log_request *r, uint64_t traits, orr_time at)
{
    r->min_gpus = traits & ELASTIC ? orr_unpack_int32(in, 0, INT32_MAX) : r->gpus;
    r->max_gpus = traits & ELASTIC ? orr_unpack_int32(in, 0, INT32_MAX) : r->gpus;
    r->milli = traits & SHARE ? orr_unpack_int32(in, 0, INT32_MAX) : 1000;
    r->cpus = traits & CPUS ? orr_unpack_int32(in, 0, INT32_MAX) : 0;
    r->mem = traits & MEM ? take_bytes_of_memory(in) : 0;
    r->deadline = traits & DEADLINE ? orr_unpack_time(in) : ORR_TIME_NONE;
    r->ran = traits & RAN ? orr_unpack_time(in) : ORR_TIME_NONE;
    r->asked = traits & ASKED ? orr_unpack_time(in) : at;
    r->attempt_count = 1;
    if (traits & ATTEMPTS)
        take_attempts(in, arena, r);
    if (traits & AFTER)
        take_after(in, arena, r);
    take_texts(in, arena, r, traits);
}

static void take_request(orr_packed *in, orr_arena *arena, orr_log_request *r, orr_time at)
{
    const uint64_t traits = orr_unpack_unsigned(in), ending = traits >> REQUEST_ENDING;
    *r = (orr_log_request){.pinned = traits & PINNED, .censored = traits & CENSORED, .carried = traits & CARRIED};
    r->id = orr_unpack_text(in, arena);
    r->user = orr_unpack_text(in, arena);
    r->vc = orr_unpack_text(in, arena);
    r->pool = orr_unpack_int32(in, -1, INT32_MAX);
    r->gpus = orr_unpack_int32(in, 0, INT32_MAX);
    r->duration = orr_unpack_time(in);
    r->ending = ending < ORR_LOG_ENDINGS ? (orr_log_ending)ending : ORR_LOG_DONE;
    take_rarer(in, arena, r, traits, at);
    in->bad |= ending >= ORR_LOG_ENDINGS || r->duration < 0;
}

/* ---- grants ---- */

static unsigned grant_flags(const orr_log_record *r)
{
    return (r->rate != 1.0 ? RATE : 0u) | (r->milli != 1000 ? MILLI : 0u) | (r->resumed ? RESUMED : 0u) |
           (r->from != r->at || r->pay ? DELAYED : 0u);
}

static void put_slices(orr_text *out, const orr_log_record *r)
{
    int32_t node = 0;
    orr_pack_unsigned(out, (uint64_t)r->slice_count);
    for (int32_t i = 0; i < r->slice_count; i++) {
        orr_pack_signed(out, (int64_t)r->slices[i].node - node);
        orr_pack_unsigned(out, r->slices[i].gpus);
        node = r->slices[i].node;
    }
}

static void put_grant(orr_text *out, const orr_log_record *r, unsigned flags)
{
    if (flags & DELAYED) {
        orr_pack_time(out, r->from - r->at);
        orr_pack_time(out, r->pay);
    }
    if (flags & RATE)
        orr_pack_double(out, r->rate);
    if (flags & MILLI)
        orr_pack_signed(out, r->milli);
    put_slices(out, r);
}

static void take_slices(orr_packed *in, orr_arena *arena, orr_log_record *r)
{
    const uint32_t n = orr_unpack_count(in, 2);
    orr_log_slice *slices = orr_arena_alloc(arena, (n + 1) * sizeof *slices);
    int64_t node = 0;
    for (uint32_t i = 0; i < n && !in->bad; i++) {
        const int64_t step = orr_unpack_signed(in);
        in->bad |= step < -node || step > INT32_MAX - node;
        node = in->bad ? 0 : node + step;
        slices[i] = (orr_log_slice){(int32_t)node, orr_unpack_unsigned(in)};
    }
    r->slices = slices;
    r->slice_count = (int32_t)n;
}

static orr_time take_later(orr_packed *in, orr_time at)
{
    const orr_time step = orr_unpack_time(in);
    orr_time later = at;
    in->bad |= step == ORR_TIME_NONE || __builtin_add_overflow(at, step, &later);
    return in->bad ? at : later;
}

static void take_grant(orr_packed *in, orr_arena *arena, orr_log_record *r, unsigned flags)
{
    r->from = flags & DELAYED ? take_later(in, r->at) : r->at;
    r->pay = flags & DELAYED ? orr_unpack_time(in) : 0;
    in->bad |= r->pay < 0;
    r->rate = flags & RATE ? orr_unpack_double(in) : 1.0;
    r->milli = flags & MILLI ? orr_unpack_int32(in, 0, INT32_MAX) : 1000;
    r->resumed = flags & RESUMED;
    take_slices(in, arena, r);
}

/* ---- the rest ---- */

static bool has_job(orr_log_kind kind)
{
    return kind != ORR_LOG_DECIDE && kind != ORR_LOG_STOP;
}

static unsigned flags_of(const orr_log_record *r)
{
    switch (r->kind) {
    case ORR_LOG_START:
    case ORR_LOG_RESIZE:
    case ORR_LOG_MIGRATE:
        return grant_flags(r);
    case ORR_LOG_FINISH:
        return (unsigned)r->ending << ENDING_SHIFT | (r->reason[0] ? REASON : 0u);
    default:
        return 0;
    }
}

static void put_counts(orr_text *out, const orr_log_counts *counts)
{
    uint64_t all[ORR_LOG_COUNTS];
    memcpy(all, counts, sizeof all);
    for (int i = 0; i < ORR_LOG_COUNTS; i++)
        orr_pack_unsigned(out, all[i]);
}

static void put_members(orr_text *out, const orr_log_record *r, unsigned flags)
{
    switch (r->kind) {
    case ORR_LOG_SUBMIT:
        put_request(out, r->request, r->at);
        break;
    case ORR_LOG_REJECT:
        orr_pack_text(out, r->reason);
        break;
    case ORR_LOG_DECIDE:
        orr_pack_unsigned(out, r->number);
        break;
    case ORR_LOG_START:
    case ORR_LOG_RESIZE:
    case ORR_LOG_MIGRATE:
        put_grant(out, r, flags);
        break;
    case ORR_LOG_PREEMPT:
        orr_pack_time(out, r->until - r->at);
        orr_pack_time(out, r->lost);
        break;
    case ORR_LOG_FINISH:
        if (flags & REASON)
            orr_pack_text(out, r->reason);
        break;
    case ORR_LOG_STOP:
        orr_pack_unsigned(out, r->stop);
        put_counts(out, &r->counts);
        break;
    default:
        break;
    }
}

/* Times of one run are less than 292 years apart: the difference fits. */
void orr_log_put(orr_text *out, orr_log_state *state, const orr_log_record *r)
{
    const unsigned flags = flags_of(r);
    orr_pack_byte(out, (unsigned)r->kind | flags);
    orr_pack_time(out, r->at - state->at);
    state->at = r->at;
    if (has_job(r->kind)) {
        orr_pack_signed(out, (int64_t)r->job - state->job);
        state->job = r->job;
    }
    put_members(out, r, flags);
}

static void take_counts(orr_packed *in, orr_log_counts *counts)
{
    uint64_t all[ORR_LOG_COUNTS];
    for (int i = 0; i < ORR_LOG_COUNTS; i++)
        all[i] = orr_unpack_unsigned(in);
    memcpy(counts, all, sizeof all);
}

static void take_finish(orr_packed *in, orr_arena *arena, orr_log_record *r, unsigned flags)
{
    const unsigned ending = flags >> ENDING_SHIFT & 3;
    in->bad |= ending >= ORR_LOG_ENDINGS;
    r->ending = in->bad ? ORR_LOG_DONE : (orr_log_ending)ending;
    r->reason = flags & REASON ? orr_unpack_text(in, arena) : "";
}

static void take_stop(orr_packed *in, orr_log_record *r)
{
    const uint64_t stop = orr_unpack_unsigned(in);
    in->bad |= stop == ORR_LOG_GOES_ON || stop >= ORR_LOG_STOPS;
    r->stop = in->bad ? ORR_LOG_ERROR : (orr_log_stop)stop;
    take_counts(in, &r->counts);
}

static void take_members(orr_packed *in, orr_arena *arena, orr_log_request *request, orr_log_record *r, unsigned flags)
{
    switch (r->kind) {
    case ORR_LOG_SUBMIT:
        take_request(in, arena, request, r->at);
        r->request = request;
        break;
    case ORR_LOG_REJECT:
        r->reason = orr_unpack_text(in, arena);
        break;
    case ORR_LOG_DECIDE:
        r->number = orr_unpack_unsigned(in);
        break;
    case ORR_LOG_START:
    case ORR_LOG_RESIZE:
    case ORR_LOG_MIGRATE:
        take_grant(in, arena, r, flags);
        break;
    case ORR_LOG_PREEMPT:
        r->until = take_later(in, r->at);
        r->lost = orr_unpack_time(in);
        in->bad |= r->lost < 0;
        break;
    case ORR_LOG_FINISH:
        take_finish(in, arena, r, flags);
        break;
    case ORR_LOG_STOP:
        take_stop(in, r);
        break;
    default:
        break;
    }
}

static void take_job(orr_packed *in, orr_log_state *state, orr_log_record *r)
{
    const int64_t step = orr_unpack_signed(in);
    if (step < -(int64_t)state->job || step > (int64_t)UINT32_MAX - state->job)
        in->bad = true;
    else
        state->job = (uint32_t)(state->job + step);
    r->job = state->job;
}

bool orr_log_take(orr_packed *in, orr_log_state *state, orr_arena *arena, orr_log_request *request, orr_log_record *r)
{
    const unsigned head = orr_unpack_byte(in);
    *r = (orr_log_record){.kind = (orr_log_kind)(head & KIND), .reason = ""};
    if (r->kind == ORR_LOG_NONE || r->kind >= ORR_LOG_KINDS)
        return false;
    const orr_time step = orr_unpack_time(in);
    if (step == ORR_TIME_NONE || __builtin_add_overflow(state->at, step, &state->at) || state->at == ORR_TIME_NONE)
        return false;
    r->at = state->at;
    if (has_job(r->kind))
        take_job(in, state, r);
    if (!in->bad)
        take_members(in, arena, request, r, head & ~(unsigned)KIND);
    return !in->bad;
}

/* ---- the header ---- */

static const struct {
    const char *key;
    size_t offset;
} facts[] = {
    {"program", offsetof(orr_log_header, program)},
    {"trace", offsetof(orr_log_header, trace)},
    {"trace_digest", offsetof(orr_log_header, trace_digest)},
    {"cluster", offsetof(orr_log_header, cluster)},
    {"cluster_digest", offsetof(orr_log_header, cluster_digest)},
    {"policy", offsetof(orr_log_header, policy)},
    {"policy_resolved", offsetof(orr_log_header, policy_resolved)},
    {"costs", offsetof(orr_log_header, costs)},
    {"clock", offsetof(orr_log_header, clock)},
    {"measure", offsetof(orr_log_header, measure)},
    {"model", offsetof(orr_log_header, model)},
};
enum { FACTS = sizeof facts / sizeof *facts, ONE_POOL = 1, BORROWS = 2 };

static const char **fact_of(orr_log_header *header, size_t i)
{
    return (const char **)((char *)header + facts[i].offset);
}

static void put_nodes(orr_text *out, const orr_log_nodes *n)
{
    orr_pack_signed(out, n->count);
    orr_pack_signed(out, n->gpus);
    orr_pack_signed(out, n->cpus);
    orr_pack_signed(out, n->mem);
    orr_pack_text(out, n->type);
    orr_pack_text(out, n->vc);
    orr_pack_text(out, n->rack);
    orr_pack_text(out, n->name);
}

void orr_log_put_header(orr_text *out, const orr_log_header *header)
{
    orr_log_header copy = *header;
    orr_pack_unsigned(out, FACTS);
    for (size_t i = 0; i < FACTS; i++) {
        orr_pack_text(out, facts[i].key);
        orr_pack_text(out, *fact_of(&copy, i));
    }
    orr_pack_unsigned(out, header->seed);
    orr_pack_unsigned(out, header->jobs);
    orr_pack_time(out, header->first_asked);
    orr_pack_time(out, header->last_asked);
    orr_pack_unsigned(out, (header->one_pool ? ONE_POOL : 0u) | (header->borrows ? BORROWS : 0u));
    orr_pack_unsigned(out, header->node_runs);
    for (size_t i = 0; i < header->node_runs; i++)
        put_nodes(out, &header->nodes[i]);
}

/* Facts of another version's are passed over. */
static void take_fact(orr_packed *in, orr_arena *arena, orr_log_header *header)
{
    const char *key = orr_unpack_text(in, arena), *value = orr_unpack_text(in, arena);
    for (size_t i = 0; i < FACTS; i++)
        if (strcmp(facts[i].key, key) == 0)
            *fact_of(header, i) = value;
}

static orr_log_nodes take_nodes(orr_packed *in, orr_arena *arena)
{
    orr_log_nodes n;
    n.count = orr_unpack_int32(in, 1, INT32_MAX);
    n.gpus = orr_unpack_int32(in, 0, ORR_LOG_MAX_GPUS);
    n.cpus = orr_unpack_int32(in, 0, INT32_MAX);
    n.mem = take_bytes_of_memory(in);
    n.type = orr_unpack_text(in, arena);
    n.vc = orr_unpack_text(in, arena);
    n.rack = orr_unpack_text(in, arena);
    n.name = orr_unpack_text(in, arena);
    return n;
}

static bool take_all_nodes(orr_packed *in, orr_arena *arena, orr_log_header *header)
{
    const uint32_t runs = orr_unpack_count(in, 8);
    orr_log_nodes *nodes = orr_arena_alloc(arena, (runs + 1) * sizeof *nodes);
    for (uint32_t i = 0; i < runs && !in->bad; i++)
        nodes[i] = take_nodes(in, arena);
    header->nodes = nodes;
    header->node_runs = runs;
    return !in->bad && orr_log_node_count(header) <= ORR_LOG_MAX_NODES;
}

bool orr_log_take_header(orr_packed *in, orr_arena *arena, orr_log_header *header)
{
    const uint32_t n = orr_unpack_count(in, 2);
    *header = (orr_log_header){.seed = 0};
    for (size_t i = 0; i < FACTS; i++)
        *fact_of(header, i) = "";
    for (uint32_t i = 0; i < n && !in->bad; i++)
        take_fact(in, arena, header);
    header->seed = orr_unpack_unsigned(in);
    header->jobs = orr_unpack_unsigned(in);
    header->first_asked = orr_unpack_time(in);
    header->last_asked = orr_unpack_time(in);
    const uint64_t flags = orr_unpack_unsigned(in);
    header->one_pool = flags & ONE_POOL;
    header->borrows = flags & BORROWS;
    return take_all_nodes(in, arena, header) && in->at == in->end;
}
