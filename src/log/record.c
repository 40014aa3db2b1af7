/* The kind is the low half of a record's first byte; the high half says which of its rarer members follow. */
#include "log/record.h"

enum { KIND = 15, RATE = 16, PARTS = 32, RESUMED = 64, DELAYED = 128, REASON = 64, ENDING_SHIFT = 4 };
enum { TAKES = 16, UP = 32 }; /* of a node: new jobs may come; its state is "up", which isn't written then */

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
    GPU_MEM = 1 << 17,
    REQUEST_ENDING = 15, /* two bits from here on */
    ENDING_BITS = 3
};

/* ---- requests ---- */

static unsigned traits_of(const orr_log_request *r, orr_time at)
{
    return (r->min_gpus != r->gpus || r->max_gpus != r->gpus ? ELASTIC : 0u) | (r->milli != 1000 ? SHARE : 0u) |
           (r->cpu_milli ? CPUS : 0u) | (r->mem ? MEM : 0u) | (r->deadline != ORR_TIME_NONE ? DEADLINE : 0u) |
           (r->ran != ORR_TIME_NONE ? RAN : 0u) | (r->attempts ? ATTEMPTS : 0u) | (r->after_count ? AFTER : 0u) |
           (r->pinned ? PINNED : 0u) | (r->censored ? CENSORED : 0u) | (r->carried ? CARRIED : 0u) |
           (r->types[0] ? TYPES : 0u) | (r->name[0] ? NAME : 0u) | (r->model[0] ? MODEL : 0u) |
           (r->asked != at ? ASKED : 0u) | (r->gpu_mem ? GPU_MEM : 0u) | (unsigned)r->ending << REQUEST_ENDING;
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
        orr_pack_signed(out, r->cpu_milli);
    if (traits & MEM)
        orr_pack_signed(out, r->mem);
    if (traits & GPU_MEM)
        orr_pack_signed(out, r->gpu_mem);
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

/* Version 1 has whole cores. */
static int64_t take_cores(orr_packed *in, uint32_t version)
{
    return version == 1 ? INT64_C(1000) * orr_unpack_int32(in, 0, INT32_MAX) : orr_unpack_amount(in);
}

static void take_rarer(orr_packed *in, const orr_log_state *state, orr_arena *arena, orr_log_request *r,
                       uint64_t traits)
{
    r->min_gpus = traits & ELASTIC ? orr_unpack_int32(in, 0, INT32_MAX) : r->gpus;
    r->max_gpus = traits & ELASTIC ? orr_unpack_int32(in, 0, INT32_MAX) : r->gpus;
    r->milli = traits & SHARE ? orr_unpack_int32(in, 0, INT32_MAX) : 1000;
    r->cpu_milli = traits & CPUS ? take_cores(in, state->version) : 0;
    r->mem = traits & MEM ? orr_unpack_amount(in) : 0;
    r->gpu_mem = traits & GPU_MEM ? orr_unpack_amount(in) : 0;
    r->deadline = traits & DEADLINE ? orr_unpack_time(in) : ORR_TIME_NONE;
    r->ran = traits & RAN ? orr_unpack_time(in) : ORR_TIME_NONE;
    r->asked = traits & ASKED ? orr_unpack_time(in) : state->at;
    r->attempt_count = 1;
    if (traits & ATTEMPTS)
        take_attempts(in, arena, r);
    if (traits & AFTER)
        take_after(in, arena, r);
    take_texts(in, arena, r, traits);
}

static void take_request(orr_packed *in, const orr_log_state *state, orr_arena *arena, orr_log_request *r)
{
    const uint64_t traits = orr_unpack_unsigned(in), ending = traits >> REQUEST_ENDING & ENDING_BITS;
    *r = (orr_log_request){.pinned = traits & PINNED, .censored = traits & CENSORED, .carried = traits & CARRIED};
    r->id = orr_unpack_text(in, arena);
    r->user = orr_unpack_text(in, arena);
    r->vc = orr_unpack_text(in, arena);
    r->pool = orr_unpack_int32(in, -1, INT32_MAX);
    r->gpus = orr_unpack_int32(in, 0, INT32_MAX);
    r->duration = orr_unpack_time(in);
    r->ending = ending < ORR_LOG_ENDINGS ? (orr_log_ending)ending : ORR_LOG_DONE;
    take_rarer(in, state, arena, r, traits);
    in->bad |= ending >= ORR_LOG_ENDINGS || r->duration < 0 || traits >= GPU_MEM << 1;
}

/* ---- grants ---- */

/* Whole GPUs, with the cores and memory that the job asks. */
static bool is_plain(const orr_log_slice *s)
{
    return s->milli == 1000 && !s->cpu_milli && !s->mem;
}

static bool has_parts(const orr_log_record *r)
{
    for (int32_t i = 0; i < r->slice_count; i++)
        if (!is_plain(&r->slices[i]))
            return true;
    return false;
}

static unsigned grant_flags(const orr_log_record *r)
{
    return (r->rate != 1.0 ? RATE : 0u) | (has_parts(r) ? PARTS : 0u) | (r->resumed ? RESUMED : 0u) |
           (r->from != r->at || r->pay ? DELAYED : 0u);
}

static void put_part(orr_text *out, const orr_log_slice *s)
{
    orr_pack_signed(out, s->milli);
    orr_pack_signed(out, s->cpu_milli);
    orr_pack_signed(out, s->mem);
}

static void put_slices(orr_text *out, const orr_log_record *r, unsigned flags)
{
    int32_t node = 0;
    orr_pack_unsigned(out, (uint64_t)r->slice_count);
    for (int32_t i = 0; i < r->slice_count; i++) {
        orr_pack_signed(out, (int64_t)r->slices[i].node - node);
        orr_pack_unsigned(out, r->slices[i].gpus);
        if (flags & PARTS)
            put_part(out, &r->slices[i]);
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
    put_slices(out, r, flags);
}

static void take_part(orr_packed *in, orr_log_slice *s)
{
    s->milli = orr_unpack_int32(in, 0, INT32_MAX);
    s->cpu_milli = orr_unpack_amount(in);
    s->mem = orr_unpack_amount(in);
}

static void take_slices(orr_packed *in, orr_arena *arena, orr_log_record *r, unsigned flags, int32_t milli)
{
    const uint32_t n = orr_unpack_count(in, 2);
    orr_log_slice *slices = orr_arena_alloc(arena, (n + 1) * sizeof *slices);
    int64_t node = 0;
    for (uint32_t i = 0; i < n && !in->bad; i++) {
        const int64_t step = orr_unpack_signed(in);
        in->bad |= step < -node || step > INT32_MAX - node;
        node = in->bad ? 0 : node + step;
        slices[i] = (orr_log_slice){.node = (int32_t)node, .milli = milli, .gpus = orr_unpack_unsigned(in)};
        if (flags & PARTS)
            take_part(in, &slices[i]);
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

/* Version 1 has one share for all slices, before them. */
static void take_grant(orr_packed *in, const orr_log_state *state, orr_arena *arena, orr_log_record *r, unsigned flags)
{
    int32_t milli = 1000;
    r->from = flags & DELAYED ? take_later(in, r->at) : r->at;
    r->pay = flags & DELAYED ? orr_unpack_time(in) : 0;
    in->bad |= r->pay < 0;
    r->rate = flags & RATE ? orr_unpack_double(in) : 1.0;
    r->resumed = flags & RESUMED;
    if (state->version == 1 && flags & PARTS)
        milli = orr_unpack_int32(in, 0, INT32_MAX);
    take_slices(in, arena, r, state->version == 1 ? 0 : flags, milli);
}

/* ---- the rest ---- */

static unsigned flags_of(const orr_log_record *r)
{
    switch (r->kind) {
    case ORR_LOG_START:
    case ORR_LOG_RESIZE:
    case ORR_LOG_MIGRATE:
    case ORR_LOG_RESHARE:
        return grant_flags(r);
    case ORR_LOG_NODE:
        return (r->takes ? TAKES : 0u) | (strcmp(r->state, "up") == 0 ? UP : 0u);
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

static void put_node(orr_text *out, const orr_log_record *r, unsigned flags)
{
    orr_pack_unsigned(out, (uint64_t)r->node);
    orr_pack_unsigned(out, r->up);
    if (!(flags & UP))
        orr_pack_text(out, r->state);
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
    case ORR_LOG_RESHARE:
        put_grant(out, r, flags);
        break;
    case ORR_LOG_PREEMPT:
        orr_pack_time(out, r->until - r->at);
        orr_pack_time(out, r->lost);
        break;
    case ORR_LOG_SPEED:
        orr_pack_double(out, r->rate);
        break;
    case ORR_LOG_NODE:
        put_node(out, r, flags);
        break;
    case ORR_LOG_INTERRUPT:
        orr_pack_unsigned(out, (uint64_t)r->node);
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
    if (orr_log_has_job(r->kind)) {
        orr_pack_signed(out, (int64_t)r->job - state->job);
        state->job = r->job;
    }
    put_members(out, r, flags);
}

static void take_counts(orr_packed *in, uint32_t version, orr_log_counts *counts)
{
    uint64_t all[ORR_LOG_COUNTS] = {0};
    for (int i = 0; i < (version == 1 ? ORR_LOG_COUNTS_1 : ORR_LOG_COUNTS); i++)
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

static void take_stop(orr_packed *in, uint32_t version, orr_log_record *r)
{
    const uint64_t stop = orr_unpack_unsigned(in);
    in->bad |= stop == ORR_LOG_GOES_ON || stop >= ORR_LOG_STOPS;
    r->stop = in->bad ? ORR_LOG_ERROR : (orr_log_stop)stop;
    take_counts(in, version, &r->counts);
}

static int32_t take_place_of_node(orr_packed *in)
{
    const uint64_t node = orr_unpack_unsigned(in);
    in->bad |= node >= ORR_LOG_MAX_NODES;
    return in->bad ? 0 : (int32_t)node;
}

static void take_node(orr_packed *in, orr_arena *arena, orr_log_record *r, unsigned flags)
{
    r->node = take_place_of_node(in);
    r->up = orr_unpack_unsigned(in);
    r->takes = flags & TAKES;
    r->state = flags & UP ? "up" : orr_unpack_text(in, arena);
}

static void take_interrupt(orr_packed *in, orr_log_record *r)
{
    r->node = take_place_of_node(in);
    r->lost = orr_unpack_time(in);
    in->bad |= r->lost < 0;
}

static void take_members(orr_packed *in, const orr_log_state *state, orr_arena *arena, orr_log_request *request,
                         orr_log_record *r, unsigned flags)
{
    switch (r->kind) {
    case ORR_LOG_SUBMIT:
        take_request(in, state, arena, request);
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
    case ORR_LOG_RESHARE:
        take_grant(in, state, arena, r, flags);
        break;
    case ORR_LOG_SPEED:
        r->rate = orr_unpack_double(in);
        break;
    case ORR_LOG_NODE:
        take_node(in, arena, r, flags);
        break;
    case ORR_LOG_INTERRUPT:
        take_interrupt(in, r);
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
        take_stop(in, state->version, r);
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
    *r = (orr_log_record){.kind = (orr_log_kind)(head & KIND), .reason = "", .state = ""};
    if (r->kind == ORR_LOG_NONE || (state->version == 1 && r->kind > ORR_LOG_STOP))
        return false;
    const orr_time step = orr_unpack_time(in);
    if (step == ORR_TIME_NONE || __builtin_add_overflow(state->at, step, &state->at) || state->at == ORR_TIME_NONE)
        return false;
    r->at = state->at;
    if (orr_log_has_job(r->kind))
        take_job(in, state, r);
    if (!in->bad)
        take_members(in, state, arena, request, r, head & ~(unsigned)KIND);
    return !in->bad;
}
